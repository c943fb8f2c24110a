---A file before and after, side by side in a page of its own.
local M = {}

---@class perdure.DiffView
---@field buffers integer[]
---@field closed boolean

---@class perdure.DiffOptions
---@field help string[] what the keys do, for each side
---@field prepare fun(buffer: integer) called with each buffer
---@field closed fun() called when the user has closed it; not when Neovim ends, nor by `close`

local function side(title, text, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = vim.split((text:gsub('\n$', '')), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = filetype
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = title:gsub('%%', '%%%%')
  vim.cmd.diffthis()
  return buffer
end

---Watch the window that is the current one: closed by the user, the whole view is.
local function watch(view, closed)
  vim.api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(vim.api.nvim_get_current_win()),
    callback = vim.schedule_wrap(function()
      if not view.closed then
        M.close(view)
        closed()
      end
    end),
  })
end

---Show a preview.
---@param preview { uri: string, before: string, after: string }
---@param options perdure.DiffOptions
---@return perdure.DiffView
function M.open(preview, options)
  local path = vim.uri_to_fname(preview.uri)
  local name = vim.fn.fnamemodify(path, ':~:.')
  local filetype = vim.filetype.match({ filename = path }) or ''
  local view = { buffers = {}, closed = false }
  local function add(title, text)
    local buffer = side(title, text, filetype)
    options.prepare(buffer)
    watch(view, options.closed)
    table.insert(view.buffers, buffer)
  end
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  add(('before: %s · %s'):format(name, options.help[1]), preview.before)
  vim.cmd('rightbelow vsplit')
  add(('after: %s · %s'):format(name, options.help[2]), preview.after)
  vim.api.nvim_buf_delete(empty, { force = true })
  return view
end

---Close a view; harmless when it is closed.
---@param view perdure.DiffView
function M.close(view)
  view.closed = true
  for _, buffer in ipairs(view.buffers) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
end

return M
