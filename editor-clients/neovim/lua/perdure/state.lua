---What the servers last said, by workspace folder, and the events that follow from it.
local M = {}

---@type table<string, perdure.Status>
local statuses = {}
---@type table<string, string> session → folder
local roots = {}

---@param root string
---@return perdure.Status?
function M.status(root)
  return statuses[root]
end

---The folder that a transcript buffer belongs to, by its name.
---@param name string
---@return string?
function M.root_of_transcript(name)
  return roots[name:match('^perdure:/+([^/]+)%.md$')]
end

---Remember which folder a session belongs to.
---@param session_id string
---@param root string
function M.own(session_id, root)
  roots[session_id] = root
end

---Tell everybody who listens to `User Perdure…`.
---@param name string
---@param data table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Perdure' .. name, data = data })
end

---One message about one event.
---@param text string
---@param level integer?
function M.say(text, level)
  local message = 'Perdure: ' .. text
  require('perdure.room').make(message)
  vim.notify(message, level or vim.log.levels.INFO)
end

---Pass on a message of the server; `update` has told already that work is blocked.
---@param root string
---@param message { type: integer, message: string }
function M.tell(root, message)
  local blocked = (statuses[root] or {}).blocked
  if not (blocked and message.message:find(blocked.code, 1, true)) then
    M.say(message.message, vim.log.levels.ERROR + 1 - message.type)
  end
end

local function operation_id(status)
  return status and status.operation and status.operation.operationId
end

---Take the next status of a folder.
---@param root string
---@param status perdure.Status
function M.update(root, status)
  local before = statuses[root]
  statuses[root] = status
  if status.sessionId then
    M.own(status.sessionId, root)
  end
  local operation = operation_id(status)
  if operation and operation ~= operation_id(before) then
    M.emit('RunStarted', { root = root, operation_id = operation })
  end
  local blocked = status.blocked
  if blocked and not vim.deep_equal(blocked, before and before.blocked) then
    M.emit('Blocked', { root = root, code = blocked.code })
    local why = blocked.code:gsub('_', ' ')
    M.say(('%s: %s (:Perdure open)'):format(status.state, why), vim.log.levels.WARN)
  end
  M.emit('Status', { root = root, state = status.state })
end

---Forget what a server said that has ended.
---@param root string
function M.ended(root)
  statuses[root] = nil
end

return M
