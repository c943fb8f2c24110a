---Sessions as buffers: the durable text from the server, and below it what is provisional.
local M = {}

local REDRAW_MS = 50

---@class perdure.Transcript
---@field buffer integer
---@field root string
---@field session_id string
---@field text string[] the durable lines
---@field tail perdure.ActionLine[] what stands below them
---@field stream perdure.Stream
---@field drawing boolean whether a redraw is on its way
---@field fetching boolean
---@field outdated boolean whether the text changed while it was fetched

---@type table<string, perdure.Transcript>
local shown = {}

local function session_of(uri)
  return uri:match('^perdure:/+([^/]+)%.md$')
end

local function tail_of(transcript)
  local lines = vim.tbl_map(function(line)
    return { text = line }
  end, transcript.stream:lines())
  local status = require('perdure.state').status(transcript.root)
  if status and status.sessionId == transcript.session_id then
    vim.list_extend(lines, require('perdure.standstill').lines(status))
  end
  return lines
end

local function draw(transcript)
  transcript.drawing = false
  if not vim.api.nvim_buf_is_loaded(transcript.buffer) then
    return
  end
  transcript.tail = tail_of(transcript)
  local lines = vim.list_extend({}, transcript.text)
  for _, line in ipairs(transcript.tail) do
    table.insert(lines, line.text)
  end
  require('perdure.transcript_buffer').write(transcript.buffer, lines)
end

local function draw_soon(transcript)
  if not transcript.drawing then
    transcript.drawing = true
    vim.defer_fn(function()
      draw(transcript)
    end, REDRAW_MS)
  end
end

local function fetch(transcript)
  if not vim.api.nvim_buf_is_loaded(transcript.buffer) then
    return
  end
  if transcript.fetching then
    transcript.outdated = true
    return
  end
  transcript.fetching, transcript.outdated = true, false
  local durable = transcript.stream:durable()
  local params = { uri = vim.api.nvim_buf_get_name(transcript.buffer) }
  local client = require('perdure.client')
  client.request(transcript.root, 'perdure/transcript', params, function(_, result)
    transcript.fetching = false
    if result then
      transcript.text = vim.split(result.text, '\n', { plain = true })
      transcript.stream:drop(durable)
      draw(transcript)
    end
    if transcript.outdated and result then
      fetch(transcript)
    end
  end)
end

local function add(session_id, root)
  local transcript = {
    buffer = require('perdure.transcript_buffer').create(session_id),
    root = root,
    session_id = session_id,
    text = {},
    tail = {},
    stream = require('perdure.stream').new(),
    drawing = false,
    fetching = false,
    outdated = false,
  }
  require('perdure.state').own(session_id, root)
  shown[session_id] = transcript
  return transcript
end

---Show a session, beside what is shown now unless it is visible already.
---@param root string
---@param session_id string
---@param focus boolean
function M.open(root, session_id, focus)
  local transcript = shown[session_id]
  if not transcript or not vim.api.nvim_buf_is_loaded(transcript.buffer) then
    transcript = add(session_id, root)
  end
  require('perdure.transcript_buffer').show(transcript.buffer, focus)
  fetch(transcript)
end

---@param session_id string
---@return boolean
function M.is_visible(session_id)
  local transcript = shown[session_id]
  return transcript ~= nil and #vim.fn.win_findbuf(transcript.buffer) > 0
end

---Take provisional text; what comes after the end of its operation is late.
---@param delta table
function M.delta(delta)
  local transcript = shown[delta.sessionId]
  local status = transcript and require('perdure.state').status(transcript.root)
  if status and status.operation then
    transcript.stream:add(delta)
    draw_soon(transcript)
  end
end

---@param session_id string
---@param facts table[]
function M.committed(session_id, facts)
  local transcript = shown[session_id]
  if transcript and transcript.stream:committed(facts) then
    fetch(transcript)
  end
end

---The server has another text for a document.
---@param uri string
function M.changed(uri)
  local transcript = shown[session_of(uri)]
  if transcript then
    fetch(transcript)
  end
end

---@param status perdure.Status
function M.status_changed(status)
  local transcript = status.sessionId and shown[status.sessionId]
  if not transcript then
    return
  end
  if not status.operation and transcript.stream:finished() then
    fetch(transcript)
  end
  draw_soon(transcript)
end

---A new server serves a folder: ask it for all that is shown.
---@param root string
function M.reconnected(root)
  for _, transcript in pairs(shown) do
    if transcript.root == root then
      transcript.stream = require('perdure.stream').new()
      fetch(transcript)
    end
  end
end

---Show what the server knows of the call on the cursor's line.
---@param buffer integer
function M.explain(buffer)
  local uri = vim.api.nvim_buf_get_name(buffer)
  local transcript = shown[session_of(uri)]
  local position = { line = vim.fn.line('.') - 1, character = 0 }
  local params = { textDocument = { uri = uri }, position = position }
  local client = require('perdure.client')
  client.request(transcript.root, 'textDocument/hover', params, function(_, hover)
    if hover then
      local lines = vim.split(hover.contents.value, '\n', { plain = true })
      vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'perdure' })
    end
  end)
end

---Run the action on the cursor's line.
---@param buffer integer
function M.act(buffer)
  local transcript = shown[session_of(vim.api.nvim_buf_get_name(buffer))]
  local line = vim.fn.line('.')
  local at_cursor = transcript and transcript.tail[line - #transcript.text]
  if at_cursor and at_cursor.action then
    require('perdure.standstill').run(transcript.root, at_cursor.action)
  end
end

return M
