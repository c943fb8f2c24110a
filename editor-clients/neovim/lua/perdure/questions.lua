---Questions of the server (`window/showMessageRequest`): they wait until the user turns to them.
local M = {}

---@class perdure.Question
---@field root string
---@field message string
---@field actions { title: string }[]
---@field answer fun(action: any)

---@type perdure.Question[]
local open = {}

---Put a question; called in a coroutine, which goes on with the answer.
---@param root string
---@param params { message: string, actions: { title: string }[]? }
function M.ask(root, params)
  local asking = assert(coroutine.running())
  local titles = vim.tbl_map(function(action)
    return action.title
  end, params.actions or {})
  if #titles == 0 then
    require('perdure.state').say(params.message)
    return vim.NIL
  end
  local hint = (':Perdure approve for %s'):format(table.concat(titles, ', '))
  require('perdure.state').say(('%s (%s)'):format(params.message, hint))
  table.insert(open, {
    root = root,
    message = params.message,
    actions = params.actions,
    answer = function(action)
      coroutine.resume(asking, action)
    end,
  })
  return coroutine.yield()
end

local function oldest(root)
  for _, question in ipairs(open) do
    if question.root == root then
      return question
    end
  end
end

local function answer(question, action)
  for index, waiting in ipairs(open) do
    if waiting == question then
      table.remove(open, index)
      return question.answer(action)
    end
  end
end

---Let the user answer the oldest question of a folder; false where there is none.
---@param root string
---@return boolean
function M.show(root)
  local question = oldest(root)
  if not question then
    return false
  end
  local options = {
    prompt = question.message,
    format_item = function(action)
      return action.title
    end,
  }
  vim.ui.select(question.actions, options, function(action)
    if action then
      answer(question, action)
    end
  end)
  return true
end

---Forget the questions of a server that has ended.
---@param root string
function M.ended(root)
  open = vim.tbl_filter(function(question)
    return question.root ~= root
  end, open)
end

return M
