---Why work stands still and what may be done, as lines at the end of a transcript.
local M = {}

---@class perdure.ActionLine
---@field text string
---@field action perdure.Action?

local INDENT = 12 ---@type integer columns left of virtual lines

local suspended = {
  { title = 'Resume', command = 'perdure.resume', arguments = {} },
  { title = 'Abort', command = 'perdure.abort', arguments = {} },
}

local approve = { title = 'Decide', command = 'perdure.approve', arguments = {} }

---@param blocked perdure.BlockedInfo
---@return perdure.ActionLine[]
local function explained(blocked)
  local lines = { { text = ('**Blocked** · %s'):format(blocked.title) }, { text = '' } }
  for _, detail in ipairs(blocked.details) do
    local values = ('recorded `%s`, now `%s`'):format(detail.recorded, detail.current)
    local text = ('- %s: %s'):format(detail.field, values):gsub('%s*\n%s*', ' ')
    table.insert(lines, { text = text })
  end
  table.insert(lines, { text = '' })
  return lines
end

---@param actions perdure.Action[]
---@param lines perdure.ActionLine[]
local function offer(actions, lines)
  vim.list_extend(lines, { { text = '`<CR>` on a line does it:' }, { text = '' } })
  for _, action in ipairs(actions) do
    table.insert(lines, { text = ('[%s]'):format(action.title), action = action })
  end
end

---The text of a diagnostic, in lines that fit where they are shown: virtual lines do not wrap.
---@param diagnostic vim.Diagnostic
---@return string
function M.wrapped(diagnostic)
  local window = vim.fn.win_findbuf(diagnostic.bufnr or 0)[1]
  local width = (window and vim.api.nvim_win_get_width(window) or vim.o.columns) - INDENT
  local lines = {}
  for line in vim.gsplit(diagnostic.message, '\n', { plain = true }) do
    table.insert(lines, '')
    for word in line:gmatch('%S+') do
      local longer = vim.trim(lines[#lines] .. ' ' .. word)
      local fits = vim.api.nvim_strwidth(longer) <= width or lines[#lines] == ''
      lines[fits and #lines or #lines + 1] = fits and longer or word
    end
  end
  return table.concat(lines, '\n')
end

---How diagnostics are shown: below their line, in Neovim 0.10 behind it.
---@return vim.diagnostic.Opts
function M.diagnostics()
  if vim.fn.has('nvim-0.11') == 1 then
    return { virtual_lines = { format = M.wrapped }, virtual_text = false }
  end
  return { virtual_text = true }
end

---The lines for a status; none while work goes on.
---@param status perdure.Status?
---@return perdure.ActionLine[]
function M.lines(status)
  local lines = {}
  if not status then
    return lines
  elseif status.blocked then
    lines = explained(status.blocked)
    offer(status.blocked.actions, lines)
  elseif status.state == 'suspended' then
    lines = { { text = '**Suspended** · there is unfinished work.' }, { text = '' } }
    offer(suspended, lines)
  elseif status.approval then
    local title = status.approval.title:gsub('\n', ' ')
    lines = { { text = ('**Waiting for you** · %s'):format(title) }, { text = '' } }
    offer({ approve }, lines)
  end
  return lines
end

---Resume, and say so where that does not go on.
---@param root string
---@param command string 'perdure.resume' or 'perdure.resumeRecorded'
---@param argument table?
function M.resume(root, command, argument)
  local state = require('perdure.state')
  require('perdure.client').execute(root, command, argument, function(problem, result)
    if problem then
      return state.say(problem.message, vim.log.levels.WARN)
    end
    if result.outcome ~= 'resumed' then
      state.say(result.blocked and result.blocked.title or result.outcome)
    end
  end)
end

---Run an action in a folder.
---@param root string
---@param action perdure.Action
function M.run(root, action)
  if action == approve then
    return require('perdure.approvals').show(root)
  end
  local argument = action.arguments and action.arguments[1]
  if vim.startswith(action.command, 'perdure.resume') then
    return M.resume(root, action.command, argument)
  end
  require('perdure.client').execute(root, action.command, argument)
end

return M
