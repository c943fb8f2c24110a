---What other plugins and a user's configuration may call.
local M = {}

---Set options; not needed where the defaults do. `vim.g.perdure` is the same table.
---@param options perdure.Options?
function M.setup(options)
  require('perdure.config').set(options or {})
end

---The latest status of the current workspace, nil while no server has told one.
---@return perdure.Status?
function M.status()
  return require('perdure.state').status(require('perdure.client').root())
end

---@param status perdure.Status
---@return string
local function describe(status)
  if status.approval then
    return 'waiting for you · ' .. status.approval.title
  elseif status.blocked then
    return ('%s · %s'):format(status.state, (status.blocked.code:gsub('_', ' ')))
  elseif status.state == 'running' and status.operation then
    return 'running · ' .. status.operation.label
  end
  local name = status.model.name
  return name ~= '' and ('%s · %s'):format(status.state, name) or status.state
end

---A short text for a status line; empty where Perdure does not run.
---@return string
function M.statusline()
  local status = M.status()
  if not status or status.state == 'none' then
    return ''
  end
  local text = ('perdure: %s'):format(describe(status)):gsub('\n', ' ')
  return (text:gsub('%%', '%%%%'))
end

return M
