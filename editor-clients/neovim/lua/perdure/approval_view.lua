---One approval in a window: what the tool would do, and keys to decide.
local M = {}

local DECIDE = 'a allow · s for this session · w always here · d deny'
local DECISIONS = { a = 'allow', s = 'allowForSession', w = 'allowForWorkspace' }

---@class perdure.ApprovalWindow
---@field approval perdure.Approval
---@field buffer integer
---@field diff perdure.DiffView? the full diff, while it is shown

---@type perdure.ApprovalWindow?
local open = nil

local function extend_with_text(lines, text)
  vim.list_extend(lines, vim.split(text, '\n', { plain = true }))
end

local function fenced(lines, language, text)
  local fence = '```'
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  table.insert(lines, fence .. language)
  extend_with_text(lines, (text:gsub('\n$', '')))
  vim.list_extend(lines, { fence, '' })
end

---@param request table
---@return string[]
function M.lines(request)
  local preview = request.preview or {}
  local help = DECIDE .. (preview.after and ' · gd full diff' or '') .. ' · q later'
  local lines = { '# ' .. request.title:gsub('\n', ' '), '', help, '' }
  if request.reason then
    extend_with_text(lines, request.reason .. '\n')
  end
  if preview.command then
    fenced(lines, 'sh', preview.command)
    extend_with_text(lines, preview.directory and 'In ' .. preview.directory or '')
  elseif preview.after then
    table.insert(lines, vim.uri_to_fname(preview.uri))
    fenced(lines, 'diff', vim.diff(preview.before, preview.after, { ctxlen = 3 }))
  else
    fenced(lines, 'json', vim.json.encode(request.arguments))
  end
  return lines
end

---Close the windows of an approval, if they are open; decides nothing.
---@param approval perdure.Approval
function M.close(approval)
  local mine = open
  if not mine or mine.approval ~= approval then
    return
  end
  open = nil
  if mine.diff then
    require('perdure.diff_view').close(mine.diff)
  end
  if vim.api.nvim_buf_is_valid(mine.buffer) then
    vim.api.nvim_buf_delete(mine.buffer, { force = true })
  end
end

local function decide(approval, decision, message)
  M.close(approval)
  require('perdure.approvals').decide(approval, decision, message)
end

local function deny(approval)
  vim.ui.input({ prompt = 'Deny, and tell the model (may be empty): ' }, function(message)
    if message then
      decide(approval, 'deny', message ~= '' and message or nil)
    end
  end)
end

local function decide_later(approval)
  M.close(approval)
  require('perdure.approvals').dismiss(approval)
end

---Who closes the diff has seen the change and does not want it.
local function refuse(approval)
  local title = approval.request.title
  require('perdure.state').say(('%s is denied: its diff was closed'):format(title))
  decide(approval, 'deny', 'The user closed the diff without a decision.')
end

local function map(buffer, key, description, action)
  vim.keymap.set('n', key, action, { buffer = buffer, nowait = true, desc = description })
end

local function set_keys(buffer, approval)
  for key, decision in pairs(DECISIONS) do
    map(buffer, key, decision, function()
      decide(approval, decision)
    end)
  end
  map(buffer, 'd', 'Deny', function()
    deny(approval)
  end)
end

local function hide_diff(mine)
  require('perdure.diff_view').close(mine.diff)
  mine.diff = nil
end

local function show_diff(mine, preview)
  mine.diff = require('perdure.diff_view').open(preview, {
    help = { 'a s w d decide', 'gd back · closing denies' },
    prepare = function(buffer)
      set_keys(buffer, mine.approval)
      map(buffer, 'q', 'Close the diff, which denies', '<Cmd>close<CR>')
      map(buffer, 'gd', 'Back, without a decision', function()
        hide_diff(mine)
      end)
    end,
    closed = function()
      refuse(mine.approval)
    end,
  })
end

local function create_buffer(mine, lines)
  vim.api.nvim_buf_set_lines(mine.buffer, 0, -1, true, lines)
  vim.bo[mine.buffer].modifiable = false
  vim.bo[mine.buffer].filetype = 'markdown'
  vim.bo[mine.buffer].bufhidden = 'wipe'
  set_keys(mine.buffer, mine.approval)
  map(mine.buffer, 'q', 'Decide later', function()
    decide_later(mine.approval)
  end)
  local preview = mine.approval.request.preview
  if preview and preview.after then
    map(mine.buffer, 'gd', 'Full diff', function()
      show_diff(mine, preview)
    end)
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = mine.buffer,
    callback = vim.schedule_wrap(function()
      if open == mine then
        decide_later(mine.approval)
      end
    end),
  })
end

---Show an approval; it is the only one that is shown.
---@param approval perdure.Approval
function M.open(approval)
  if open then
    M.close(open.approval)
  end
  local mine = { approval = approval, buffer = vim.api.nvim_create_buf(false, true) }
  local lines = M.lines(approval.request)
  create_buffer(mine, lines)
  open = mine
  vim.cmd(('botright %dsplit'):format(math.min(#lines, math.floor(vim.o.lines / 2))))
  vim.api.nvim_win_set_buf(0, mine.buffer)
end

return M
