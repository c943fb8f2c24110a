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

---A short text for a status line; empty where Perdure does not run.
---@return string
function M.statusline()
  local status = M.status()
  if not status or status.state == 'none' then
    return ''
  end
  local what = status.approval or status.operation
  local detail = what and (what.title or what.label) or status.model.name
  local text = ('perdure: %s · %s'):format(status.state, detail):gsub('\n', ' ')
  return (text:gsub('%%', '%%%%'))
end

return M
