---Buffers of files that the agent has changed are read again; buffers with unsaved text never.
local M = {}

---@type table<string, table> calls whose results are still to come, by the id of their start
local calls = {}

local function reload(buffer)
  local ours = vim.bo[buffer].buftype == '' and vim.api.nvim_buf_get_name(buffer) ~= ''
  if ours and not vim.bo[buffer].modified then
    vim.cmd.checktime(buffer)
  end
end

---@param path string
local function edited(path)
  local canonical = vim.uv.fs_realpath(path) or path
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if vim.api.nvim_buf_is_loaded(buffer) and (vim.uv.fs_realpath(name) or name) == canonical then
      reload(buffer)
    end
  end
  require('perdure.state').emit('FileEdited', { path = canonical })
end

---Look at all buffers of a folder: a command may have changed any file.
---@param root string
function M.look(root)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local inside = vim.startswith(vim.api.nvim_buf_get_name(buffer), root .. '/')
    if inside and vim.api.nvim_buf_is_loaded(buffer) then
      reload(buffer)
    end
  end
end

---@param root string
---@param started { toolName: string, arguments: table }
local function finished(root, started)
  local path = started.arguments.path
  if started.toolName == 'write' or started.toolName == 'edit' then
    edited(vim.startswith(path, '/') and path or vim.fs.joinpath(root, path))
  elseif started.toolName ~= 'read' then
    M.look(root)
  end
end

---Take note of a committed fact: the start of a call, and later its result.
---@param root string
---@param fact table
function M.committed(root, fact)
  if fact.record and fact.record.type == 'toolStarted' then
    calls[fact.id] = fact.record
    return
  end
  local id = fact.entry and fact.entry.toolStartedId
  if not id then
    return
  end
  local started = calls[id]
  calls[id] = nil
  if started then
    finished(root, started)
  else
    M.look(root)
  end
end

return M
