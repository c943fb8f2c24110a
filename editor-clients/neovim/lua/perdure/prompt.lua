---Prompts: sending them, and a small window to write them in. Text is kept until it is accepted.
local M = {}

---@type table<string, integer> the input buffer of each folder
local inputs = {}

---@type table<string, perdure.Attachment[]> what goes with the prompt of each folder
local pending = {}

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
---@param attachments perdure.Attachment[]
function M.send(root, text, attachments)
  local argument = { text = text, queue = true }
  argument.attachments = #attachments > 0 and attachments or nil
  require('perdure.client').execute(root, 'perdure.prompt', argument, function(problem, result)
    if not problem then
      return accepted(root, result)
    end
    require('perdure.state').say(problem.message, vim.log.levels.WARN)
    M.open(root, text, attachments)
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
  M.send(root, text, pending[root])
end

local function create(root)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].filetype = 'markdown'
  vim.bo[buffer].bufhidden = 'hide'
  vim.b[buffer].perdure_root = root
  vim.bo[buffer].omnifunc = "v:lua.require'perdure.mentions'.complete"
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

local function title(attachments)
  local label = require('perdure.context').label(attachments):gsub('%%', '%%%%')
  local about = label ~= '' and (' with %s'):format(label) or ''
  return ('Prompt%s · <CR> or <C-s> sends · q closes, the text stays'):format(about)
end

---Open the input window of a folder, with the text that was not sent last time.
---@param root string
---@param text string? to add
---@param attachments perdure.Attachment[]? to send with it, until the buffer is deleted
function M.open(root, text, attachments)
  local known = inputs[root]
  local buffer = known and vim.api.nvim_buf_is_valid(known) and known or nil
  pending[root] = vim.list_extend(buffer and pending[root] or {}, attachments or {})
  buffer = buffer or create(root)
  inputs[root] = buffer
  if text then
    append(buffer, text)
  end
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('botright 6split')
    vim.api.nvim_win_set_buf(0, buffer)
    vim.wo[0][0].winfixheight = true
  end
  vim.wo[0][0].winbar = title(pending[root])
end

return M
