---One approval in a window: what the tool would do, and keys to decide.
local M = {}

local HELP = 'a allow · s for this session · w always here · d deny · gd full diff · q later'

---@class perdure.ApprovalWindow
---@field approval perdure.Approval
---@field buffer integer
---@field tab integer? the page of the full diff

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
  local lines = { '# ' .. request.title:gsub('\n', ' '), '', HELP, '' }
  if request.reason then
    extend_with_text(lines, request.reason .. '\n')
  end
  local preview = request.preview or {}
  if preview.command then
    fenced(lines, 'sh', preview.command)
    extend_with_text(lines, preview.directory and 'In ' .. preview.directory or '')
  elseif preview.after then
    table.insert(lines, vim.uri_to_fname(preview.uri))
    fenced(lines, 'diff', vim.diff(preview.before, preview.after))
  else
    fenced(lines, 'json', vim.json.encode(request.arguments))
  end
  return lines
end

---Close the window of an approval, if it is open; decides nothing.
---@param approval perdure.Approval
function M.close(approval)
  local mine = open
  if not mine or mine.approval ~= approval then
    return
  end
  open = nil
  require('perdure.diff_view').close(mine.tab)
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

---Give a buffer the keys of an approval.
---@param buffer integer
---@param approval perdure.Approval
function M.set_keys(buffer, approval)
  local function map(key, description, action)
    vim.keymap.set('n', key, action, { buffer = buffer, nowait = true, desc = description })
  end
  for key, decision in pairs({ a = 'allow', s = 'allowForSession', w = 'allowForWorkspace' }) do
    map(key, decision, function()
      decide(approval, decision)
    end)
  end
  map('d', 'deny', function()
    deny(approval)
  end)
  map('q', 'Decide later', function()
    M.close(approval)
    require('perdure.approvals').dismiss(approval)
  end)
end

local function map_diff(mine)
  local preview = mine.approval.request.preview
  if preview and preview.after then
    vim.keymap.set('n', 'gd', function()
      mine.tab = require('perdure.diff_view').open(preview, function(buffer)
        M.set_keys(buffer, mine.approval)
      end)
    end, { buffer = mine.buffer, desc = 'Full diff' })
  end
end

---Show an approval; it is the only one that is shown.
---@param approval perdure.Approval
function M.open(approval)
  if open then
    M.close(open.approval)
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = M.lines(approval.request)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = 'markdown'
  vim.bo[buffer].bufhidden = 'wipe'
  open = { approval = approval, buffer = buffer }
  M.set_keys(buffer, approval)
  map_diff(open)
  vim.cmd(('botright %dsplit'):format(math.min(#lines, math.floor(vim.o.lines / 2))))
  vim.api.nvim_win_set_buf(0, buffer)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      if open and open.buffer == buffer then
        open = nil
        require('perdure.approvals').dismiss(approval)
      end
    end,
  })
end

return M
