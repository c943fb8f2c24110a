---Text that is still streaming. It is provisional until it is committed.
---@class perdure.Stream
---@field pieces perdure.Piece[]
local M = {}
M.__index = M

---@class perdure.Piece
---@field key string
---@field kind string 'text' | 'reasoning' | 'toolArguments' | 'toolOutput'
---@field text string[]
---@field durable boolean committed, so the next transcript holds it

local titles = {
  text = '**Answer** (streaming)',
  reasoning = '**Reasoning** (streaming)',
  toolArguments = '**Tool** (arguments are streaming)',
  toolOutput = '**Output** (streaming)',
}

---@return perdure.Stream
function M.new()
  return setmetatable({ pieces = {} }, M)
end

---Add what came.
---@param delta { stepId: string, kind: string, toolCallId: string?, text: string }
function M:add(delta)
  local key = table.concat({ delta.stepId, delta.kind, delta.toolCallId or '' }, ' ')
  for _, piece in ipairs(self.pieces) do
    if piece.key == key and not piece.durable then
      table.insert(piece.text, delta.text)
      return
    end
  end
  local piece = { key = key, kind = delta.kind, text = { delta.text }, durable = false }
  table.insert(self.pieces, piece)
end

---Mark pieces as durable; returns whether there was one that was not.
---@param concerns fun(piece: perdure.Piece): boolean
---@return boolean
function M:mark(concerns)
  local found = false
  for _, piece in ipairs(self.pieces) do
    if not piece.durable and concerns(piece) then
      piece.durable = true
      found = true
    end
  end
  return found
end

---Take note that facts are committed: they hold what streamed until now.
---@param facts table[]
---@return boolean whether they hold anything that streamed
function M:committed(facts)
  local answered, returned = false, false
  for _, fact in ipairs(facts) do
    local role = fact.entry and fact.entry.message and fact.entry.message.role
    answered = answered or role == 'assistant'
    returned = returned or role == 'tool'
  end
  return self:mark(function(piece)
    if piece.kind == 'toolOutput' then
      return returned
    end
    return answered
  end)
end

---Take note that no operation is unfinished: nothing streams any more.
---@return boolean whether anything did
function M:finished()
  return self:mark(function()
    return true
  end)
end

---What is committed now, to be given to `drop` when the transcript is there.
---@return table<perdure.Piece, true>
function M:durable()
  local found = {}
  for _, piece in ipairs(self.pieces) do
    if piece.durable then
      found[piece] = true
    end
  end
  return found
end

---@param pieces table<perdure.Piece, true>
function M:drop(pieces)
  self.pieces = vim.tbl_filter(function(piece)
    return not pieces[piece]
  end, self.pieces)
end

---@return string[]
function M:lines()
  local lines = {}
  for _, piece in ipairs(self.pieces) do
    vim.list_extend(lines, { titles[piece.kind], '' })
    local text = table.concat(piece.text):gsub('\r', '')
    for line in vim.gsplit(text, '\n', { plain = true }) do
      table.insert(lines, piece.kind == 'text' and ('> ' .. line):gsub('%s+$', '') or line)
    end
    table.insert(lines, '')
  end
  return lines
end

return M
