---Completing the path of a mention, `@path`, where a prompt is written.
local M = {}

local TIMEOUT_MS = 3000

local function paths(prefix)
  local client = require('perdure.client')
  local root = vim.b.perdure_root
  local running = root and client.get(root)
  if not running then
    return {}
  end
  local argument = { prefix = prefix, workspaceFolder = vim.uri_from_fname(root) }
  local params = { command = 'perdure.complete', arguments = { argument } }
  local method = 'workspace/executeCommand'
  local answer = client.call(running, 'request_sync', method, params, TIMEOUT_MS)
  return answer and answer.result and answer.result.paths or {}
end

---What 'omnifunc' asks: where the path begins, then how it may go on.
---@param findstart integer
---@param base string
---@return integer|string[]
function M.complete(findstart, base)
  if findstart == 0 then
    return paths(base)
  end
  local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1)
  local path = before:match('@([^%s@]*)$')
  return path and #before - #path or -3
end

return M
