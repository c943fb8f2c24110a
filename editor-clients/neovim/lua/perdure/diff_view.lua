---A file before and after, side by side in a page of its own.
local M = {}

local function side(title, text, filetype, prepare)
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = vim.split((text:gsub('\n$', '')), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = filetype
  prepare(buffer)
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = title:gsub('%%', '%%%%')
  vim.cmd.diffthis()
end

---Show a preview; returns the page. `prepare` is called with each buffer.
---@param preview { uri: string, before: string, after: string }
---@param prepare fun(buffer: integer)
---@return integer
function M.open(preview, prepare)
  local path = vim.uri_to_fname(preview.uri)
  local name = vim.fn.fnamemodify(path, ':~:.')
  local filetype = vim.filetype.match({ filename = path }) or ''
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  side('before: ' .. name, preview.before, filetype, prepare)
  vim.cmd('rightbelow vsplit')
  side('after: ' .. name, preview.after, filetype, prepare)
  vim.api.nvim_buf_delete(empty, { force = true })
  return vim.api.nvim_get_current_tabpage()
end

---Close a page; harmless when it is closed.
---@param tab integer?
function M.close(tab)
  if tab and vim.api.nvim_tabpage_is_valid(tab) then
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
  end
end

return M
