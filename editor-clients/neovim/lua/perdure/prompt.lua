---Prompts: sending them, and a small window to write them in. Text is kept until it is accepted.
local M = {}

---@type table<string, integer> the input buffer of each folder
local inputs = {}

---The lines of a range as context for the model: file, lines, text.
---@param first integer
---@param last integer
---@return string
function M.context(first, last)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, first - 1, last, false), '\n')
  local fence = '```'
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  local root = require('perdure.client').root()
  local name = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(0)) or vim.api.nvim_buf_get_name(0)
  local path = vim.startswith(name, root .. '/') and name:sub(#root + 2) or name
  local where = first == last and ('line %d'):format(first) or ('lines %d-%d'):format(first, last)
  local head = ('`%s`, %s:'):format(path ~= '' and path or 'unnamed buffer', where)
  return table.concat({ head, '', fence .. vim.bo.filetype, text, fence }, '\n')
end

local function accepted(root, result)
  if result.queuedId then
    require('perdure.state').say(('the prompt waits as number %d'):format(result.position))
  end
  if require('perdure.config').get().transcript.open then
    require('perdure.transcript').open(root, result.sessionId, false)
  end
end

---Send a prompt; one that is not accepted comes back in the window.
---@param root string
---@param text string
function M.send(root, text)
  local argument = { text = text, queue = true }
  require('perdure.client').execute(root, 'perdure.prompt', argument, function(problem, result)
    if not problem then
      return accepted(root, result)
    end
    require('perdure.state').say(problem.message, vim.log.levels.WARN)
    M.open(root, text)
  end)
end

local function text_of(buffer)
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n'))
end

local function submit(root, buffer)
  local text = text_of(buffer)
  if text == '' then
    return
  end
  vim.cmd.stopinsert()
  vim.api.nvim_buf_delete(buffer, { force = true })
  M.send(root, text)
end

local function create(root)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].filetype = 'markdown'
  vim.bo[buffer].bufhidden = 'hide'
  local function send()
    submit(root, buffer)
  end
  vim.keymap.set('n', '<CR>', send, { buffer = buffer, desc = 'Send the prompt' })
  vim.keymap.set({ 'n', 'i' }, '<C-s>', send, { buffer = buffer, desc = 'Send the prompt' })
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, desc = 'Close; the text stays' })
  return buffer
end

---Add text to a buffer, below what is there.
local function append(buffer, text)
  local lines = vim.split(text, '\n', { plain = true })
  local empty = text_of(buffer) == ''
  vim.api.nvim_buf_set_lines(buffer, empty and 0 or -1, -1, true, lines)
end

---Open the input window of a folder, with the text that was not sent last time.
---@param root string
---@param text string? to add
function M.open(root, text)
  local known = inputs[root]
  local buffer = known and vim.api.nvim_buf_is_valid(known) and known or create(root)
  inputs[root] = buffer
  if text then
    append(buffer, text)
  end
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    vim.api.nvim_set_current_win(window)
    return
  end
  vim.cmd('botright 6split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = 'Prompt · <CR> or <C-s> sends · q closes, the text stays'
  vim.wo[0][0].winfixheight = true
end

return M
