---The language client: how it is configured, started, found and asked.
local M = {}

M.NAME = 'perdure'

---Requests that wait for an answer, by client: Neovim forgets them when the server ends.
---@alias perdure.Callback fun(problem: table?, result: any)

---@type table<integer, table<perdure.Callback, true>>
local waiting = {}

---What is sent once a client is initialized, by client: before that LSP allows no request.
---@type table<integer, (fun())[]>
local early = {}

---The workspace folder of a buffer: its repository, else the current directory.
---@param buffer integer?
---@return string
function M.root(buffer)
  local name = vim.api.nvim_buf_get_name(buffer or 0)
  local ours = require('perdure.state').root_of_transcript(name)
  if ours then
    return ours
  end
  local is_file = vim.bo[buffer or 0].buftype == '' and name ~= '' and not name:find('^%w+:/')
  local start = is_file and vim.fs.dirname(name) or vim.fn.getcwd()
  local root = vim.fs.root(start, '.git') or vim.fn.getcwd()
  return vim.uv.fs_realpath(root) or root
end

---@param dispatchers vim.lsp.rpc.Dispatchers
---@param config { root_dir: string, cmd_env: table? }
local function start_process(dispatchers, config)
  local command = require('perdure.server').find()
  if not command then
    error('perdure is not installed: :Perdure install, or set vim.g.perdure.command', 0)
  end
  local on_exit = dispatchers.on_exit
  local rpc ---@type vim.lsp.rpc.PublicClient
  ---@type vim.lsp.rpc.Dispatchers
  local own = vim.tbl_extend('force', dispatchers, {
    on_exit = function(code, signal)
      vim.schedule(function()
        local ended = { rpc = rpc, command = command, code = code, signal = signal }
        require('perdure.restart').ended(config.root_dir, ended)
      end)
      on_exit(0, 0)
    end,
  })
  rpc = vim.lsp.rpc.start(command, own, { cwd = config.root_dir, env = config.cmd_env })
  return rpc
end

---Call a method of a client; Neovim 0.10 binds them to their client already.
---@param client vim.lsp.Client
---@param method string
function M.call(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

---The client's configuration, for `vim.lsp.config` and for `start`.
---@param root string? where Neovim does not tell it when it starts the server
---@return vim.lsp.Config
function M.config(root)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { perdure = { approve = true, diagnostics = true } }
  return {
    name = M.NAME,
    cmd = function(dispatchers, config)
      return start_process(dispatchers, config or { root_dir = root or M.root() })
    end,
    capabilities = capabilities,
    handlers = require('perdure.handlers').handlers(),
    root_dir = function(buffer, found)
      found(M.root(buffer))
    end,
    on_init = function(client)
      for _, send in ipairs(early[client.id] or {}) do
        send()
      end
      early[client.id] = nil
      local space = vim.lsp.diagnostic.get_namespace(client.id)
      vim.diagnostic.config(require('perdure.standstill').diagnostics(), space)
      require('perdure.transcript').reconnected(client.config.root_dir)
    end,
    before_init = function(params)
      local settings = require('perdure.config').get().settings
      params.initializationOptions = next(settings) and settings or vim.empty_dict()
    end,
  }
end

---@param accepts fun(client: vim.lsp.Client): boolean
---@return vim.lsp.Client?
local function find(accepts)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME, _uninitialized = true })) do
    if accepts(client) then
      return client
    end
  end
end

---The client of a process, also while it starts and when the process has just ended.
---@param rpc vim.lsp.rpc.PublicClient
---@return vim.lsp.Client?
function M.of_process(rpc)
  return find(function(client)
    return client.rpc == rpc
  end)
end

---The client of a folder that runs or starts.
---@param root string
---@return vim.lsp.Client?
function M.get(root)
  return find(function(client)
    return client.config.root_dir == root and not M.call(client, 'is_stopped')
  end)
end

---Start a client without attaching a buffer; Neovim 0.10 has another function for that.
---@param config vim.lsp.ClientConfig
---@return integer? client_id
local function start_client(config)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.lsp.start(config, { attach = false })
  end
  ---@diagnostic disable-next-line: deprecated
  return (vim.lsp.start_client(config))
end

---The client of a folder, started where none runs; nil and the reason when that is impossible.
---@param root string
---@param buffers integer[]? to attach
---@return vim.lsp.Client?
---@return string? problem
local function begin(root, buffers)
  local running = M.get(root)
  if not running and not require('perdure.server').find() then
    return nil, 'not installed: run :Perdure install'
  end
  ---@diagnostic disable-next-line: undefined-field (it is indexed by a metatable)
  local config = vim.lsp.config and vim.lsp.config[M.NAME] or M.config(root)
  config = vim.tbl_extend('force', config, { root_dir = root })
  local id = running and running.id or start_client(config)
  for _, buffer in ipairs(buffers or {}) do
    if id and vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.buf_attach_client(buffer, id)
    end
  end
  return id and vim.lsp.get_client_by_id(id), 'the server does not run.'
end

---The client of a folder, started where none runs; nil when that is impossible, and said so.
---@param root string
---@param buffers integer[]? to attach
---@return vim.lsp.Client?
function M.start(root, buffers)
  local client, problem = begin(root, buffers)
  if not client then
    vim.notify('Perdure: ' .. problem, vim.log.levels.ERROR)
  end
  return client
end

---Send a request; `callback` is called exactly once, also when the server ends first.
---@param root string
---@param method string
---@param params table
---@param callback fun(problem: table?, result: any)
function M.request(root, method, params, callback)
  local client, problem = begin(root)
  if not client then
    return callback({ message = problem })
  end
  local mine = waiting[client.id] or {}
  waiting[client.id] = mine
  local answer ---@type perdure.Callback
  answer = function(failure, result)
    if mine[answer] then
      mine[answer] = nil
      callback(failure, result)
    end
  end
  mine[answer] = true
  local function send()
    if not M.call(client, 'request', method, params, answer) then
      answer({ message = 'The Perdure server has ended.' })
    end
  end
  if client.initialized then
    return send()
  end
  early[client.id] = early[client.id] or {}
  table.insert(early[client.id], send)
end

---Run a command of the server; without a callback a problem is shown.
---@param root string
---@param name string e.g. 'perdure.abort'
---@param argument table?
---@param callback fun(problem: table?, result: any)?
function M.execute(root, name, argument, callback)
  local folder = { workspaceFolder = vim.uri_from_fname(root) }
  local given = vim.tbl_extend('keep', argument or {}, folder)
  local params = { command = name, arguments = { given } }
  M.request(root, 'workspace/executeCommand', params, callback or function(problem)
    if problem then
      vim.notify('Perdure: ' .. problem.message, vim.log.levels.WARN)
    end
  end)
end

---Tell everybody who waits for an answer of a client that none will come.
---@param client_id integer
function M.fail_waiting(client_id)
  local mine = waiting[client_id] or {}
  waiting[client_id] = nil
  early[client_id] = nil
  for _, answer in ipairs(vim.tbl_keys(mine)) do
    answer({ message = 'The Perdure server has ended.' })
  end
end

return M
