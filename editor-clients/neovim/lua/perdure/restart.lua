---A server that crashes is started again, a few times and later each time.
local M = {}

local WINDOW_MS = 3 * 60 * 1000
local SIGTERM = 15

---@type table<string, integer[]> times of crashes in ms, by folder
local crashes = {}

local leaving = false
vim.api.nvim_create_autocmd('VimLeavePre', {
  callback = function()
    leaving = true
  end,
})

---What a process wrote last to its standard error, as Neovim's log has it.
local function last_words(program)
  local file = io.open(vim.lsp.get_log_path(), 'rb')
  if not file then
    return nil
  end
  local size = file:seek('end', 0) or 0
  file:seek('set', math.max(0, size - 8192))
  local found
  for line in vim.gsplit(file:read('*a'), '\n', { plain = true }) do
    local words = line:match('"rpc"%s+"' .. vim.pesc(program) .. '"%s+"stderr"%s+"(.*)"')
    found = words or found
  end
  file:close()
  local line = found and vim.trim(found:gsub('\\n', '\n'):gsub('^.*\n([^\n]+)\n*$', '%1'))
  return line and line:gsub('^[%d-]+ [%d:,]+ [%w.]+: ', ''):gsub('%.$', '')
end

local function message(server, next_step)
  local how = server.signal ~= 0 and ('was killed by signal %d'):format(server.signal)
    or ('ended with code %d'):format(server.code)
  local words = last_words(server.command[1])
  return ('the server %s; %s.%s Log: %s'):format(
    how,
    next_step,
    words and (' It said: %s.'):format(words) or '',
    vim.lsp.get_log_path()
  )
end

---How long to wait before the next start in ms; nil when there were too many crashes.
local function delay_after_crash(root)
  local options = require('perdure.config').get().restart
  local now = vim.uv.now()
  local recent = vim.tbl_filter(function(time)
    return now - time < WINDOW_MS
  end, crashes[root] or {})
  table.insert(recent, now)
  crashes[root] = recent
  if #recent > options.attempts then
    return nil
  end
  return options.delay * 2 ^ (#recent - 1)
end

---@class perdure.EndedServer
---@field rpc vim.lsp.rpc.PublicClient
---@field command string[]
---@field code integer
---@field signal integer

---A server has ended.
---@param root string
---@param server perdure.EndedServer
function M.ended(root, server)
  if leaving then
    return
  end
  local code, signal = server.code, server.signal
  local client = require('perdure.client').of_process(server.rpc)
  local buffers = client and vim.tbl_keys(client.attached_buffers) or {}
  require('perdure.state').ended(root)
  require('perdure.approvals').ended(root)
  require('perdure.questions').ended(root)
  local crashed = code ~= 0 or (signal ~= 0 and signal ~= SIGTERM)
  local can_start = signal ~= 0 or (client ~= nil and client.initialized == true)
  local delay = crashed and can_start and delay_after_crash(root)
  if crashed then
    local otherwise = can_start and 'run :Perdure restart' or 'see :checkhealth perdure'
    local next_step = delay and 'it is started again' or otherwise
    require('perdure.state').say(message(server, next_step), vim.log.levels.WARN)
  end
  if client then
    require('perdure.client').fail_waiting(client.id)
  end
  if delay then
    vim.defer_fn(function()
      require('perdure.client').start(root, buffers)
    end, delay)
  end
end

---Start a folder's server anew, whatever happened before.
---@param root string
function M.restart(root)
  crashes[root] = nil
  local client = require('perdure.client').get(root)
  local buffers = client and vim.tbl_keys(client.attached_buffers) or {}
  if client then
    require('perdure.client').call(client, 'stop')
    vim.wait(3000, function()
      return client.rpc.is_closing()
    end)
  end
  require('perdure.client').start(root, buffers)
end

return M
