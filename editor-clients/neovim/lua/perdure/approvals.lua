---Approvals that wait for the user. Null, for a window that is closed, means: not decided.
local M = {}

---@class perdure.Approval
---@field root string
---@field request table what `perdure/approve` brought
---@field answer fun(result: any)? to the request; nil when it has its answer

---@type table<string, perdure.Approval> by approvalId
local pending = {}

---Put an approval; called in a coroutine, which goes on with the answer.
---@param root string
---@param request table
function M.ask(root, request)
  local asking = assert(coroutine.running())
  local approval = { root = root, request = request }
  function approval.answer(result)
    approval.answer = nil
    coroutine.resume(asking, result)
  end
  pending[request.approvalId] = approval
  local state = require('perdure.state')
  state.emit('Approval', { root = root, approval_id = request.approvalId, title = request.title })
  state.say(('allow %s? (:Perdure approve)'):format(request.title), vim.log.levels.WARN)
  return coroutine.yield()
end

---Answer an approval: its request where that is open, else by command.
---@param approval perdure.Approval
---@param decision 'allow'|'allowForSession'|'allowForWorkspace'|'deny'
---@param message string?
function M.decide(approval, decision, message)
  local id = approval.request.approvalId
  pending[id] = nil
  if approval.answer then
    approval.answer({ decision = decision, message = message })
    return
  end
  local argument = { approvalId = id, decision = decision, message = message }
  require('perdure.client').execute(approval.root, 'perdure.approve', argument)
end

---The user closed an approval without a decision: it stays pending.
---@param approval perdure.Approval
function M.dismiss(approval)
  if approval.answer then
    approval.answer(vim.NIL)
  end
end

---Drop what the server no longer waits for.
---@param root string
---@param status perdure.Status
function M.settle(root, status)
  local now = status.approval and status.approval.approvalId
  for id, approval in pairs(pending) do
    if approval.root == root and id ~= now then
      pending[id] = nil
      M.dismiss(approval)
      require('perdure.approval_view').close(approval)
    end
  end
end

---Forget the approvals of a server that has ended: the next one asks again.
---@param root string
function M.ended(root)
  for id, approval in pairs(pending) do
    if approval.root == root then
      pending[id] = nil
      require('perdure.approval_view').close(approval)
    end
  end
end

---Show the pending approval of a folder, else a question; says so where there is neither.
---@param root string
function M.show(root)
  for _, approval in pairs(pending) do
    if approval.root == root then
      require('perdure.approval_view').open(approval)
      return
    end
  end
  if not require('perdure.questions').show(root) then
    require('perdure.state').say('nothing waits for an answer')
  end
end

return M
