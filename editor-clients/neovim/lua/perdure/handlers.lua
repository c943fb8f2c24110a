---What the server tells and asks, handed to those whom it concerns.
local M = {}

---The folder of the server that sent something; nil when it has ended since.
---@param context lsp.HandlerContext
---@return string?
local function root_of(context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  return client and client.config.root_dir
end

local function on_status(_, status, context)
  local root = root_of(context)
  if root then
    require('perdure.state').update(root, status)
    require('perdure.approvals').settle(root, status)
    require('perdure.transcript').status_changed(status)
  end
  vim.cmd.redrawstatus()
end

local function on_fact(root, session_id, fact)
  local record = fact.record
  if record and record.type == 'operationFinished' then
    local state = require('perdure.state')
    local data = { root = root, session_id = session_id, outcome = record.outcome }
    state.emit('RunFinished', data)
    if not require('perdure.transcript').is_visible(session_id) then
      state.say(('%s (:Perdure open)'):format(record.outcome))
    end
  end
  require('perdure.files').committed(root, fact)
end

local function on_committed(_, params, context)
  local root = root_of(context)
  for _, fact in ipairs(root and params.facts or {}) do
    on_fact(root, params.sessionId, fact)
  end
  require('perdure.transcript').committed(params.sessionId, params.facts)
end

---Handlers of the client, by method.
---@return table<string, lsp.Handler>
function M.handlers()
  return {
    ['perdure/status'] = on_status,
    ['perdure/committed'] = on_committed,
    ['perdure/delta'] = function(_, params)
      require('perdure.transcript').delta(params)
    end,
    ['perdure/transcriptChanged'] = function(_, params)
      require('perdure.transcript').changed(params.uri)
    end,
    ['perdure/approve'] = function(_, params, context)
      local root = root_of(context)
      return root and require('perdure.approvals').ask(root, params) or vim.NIL
    end,
    ['perdure/diagnostics'] = function(_, params)
      return require('perdure.reported').files(params.uri)
    end,
    ['window/showMessage'] = function(_, params, context)
      local root = root_of(context)
      if root then
        require('perdure.state').tell(root, params)
      end
    end,
    ['window/showMessageRequest'] = function(_, params, context)
      local root = root_of(context)
      return root and require('perdure.questions').ask(root, params) or vim.NIL
    end,
  }
end

return M
