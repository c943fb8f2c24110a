---Why work stands still and what may be done, as lines at the end of a transcript.
local M = {}

---@class perdure.ActionLine
---@field text string
---@field action perdure.Action?

local suspended = {
  { title = 'Resume', command = 'perdure.resume', arguments = {} },
  { title = 'Abort', command = 'perdure.abort', arguments = {} },
}

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
  for _, action in ipairs(actions) do
    local text = ('[%s] press <CR> here'):format(action.title)
    table.insert(lines, { text = text, action = action })
  end
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
    lines = { { text = ('**Waiting for you** · %s · :Perdure approve'):format(title) } }
  end
  return lines
end

---Run an action in a folder.
---@param root string
---@param action perdure.Action
function M.run(root, action)
  local argument = action.arguments and action.arguments[1]
  require('perdure.client').execute(root, action.command, argument)
end

return M
