---`:Perdure {subcommand}`.
local M = {}

local function execute(name)
  return function(root)
    require('perdure.client').execute(root, name)
  end
end

local function prompt(root, text, call)
  local context = require('perdure.context')
  local attachments = call.range > 0 and context.of_lines(call.line1, call.line2) or {}
  if text ~= '' then
    return require('perdure.prompt').send(root, text, attachments)
  end
  require('perdure.prompt').open(root, nil, attachments)
  vim.cmd.startinsert()
end

local function install()
  local state = require('perdure.state')
  state.say('installing the server …')
  require('perdure.server').install(function(problem)
    if problem then
      return state.say('not installed: ' .. problem, vim.log.levels.ERROR)
    end
    state.say('installed')
  end)
end

---@type table<string, fun(root: string, rest: string, call: table)>
local subcommands = {
  prompt = prompt,
  abort = execute('perdure.abort'),
  resume = function(root)
    require('perdure.standstill').resume(root, 'perdure.resume')
  end,
  compact = execute('perdure.compact'),
  status = function(root)
    require('perdure.sessions').say_status(root)
  end,
  sessions = function(root)
    require('perdure.sessions').choose(root)
  end,
  open = function(root, session_id)
    require('perdure.sessions').open(root, session_id ~= '' and session_id or nil)
  end,
  new = function(root)
    require('perdure.sessions').new(root)
  end,
  approve = function(root)
    require('perdure.approvals').show(root)
  end,
  changes = function(root)
    require('perdure.changes').show(root)
  end,
  undo = function(root)
    require('perdure.changes').undo(root)
  end,
  log = function(root)
    require('perdure.sessions').open_log(root)
  end,
  install = install,
  restart = function(root)
    require('perdure.restart').restart(root)
  end,
}

---Run what the user typed; without a subcommand the transcript is shown.
---@param call table what Neovim gives to user commands
function M.run(call)
  local name, rest = call.args:match('^(%S*)%s*(.*)$')
  local run = subcommands[name == '' and 'open' or name]
  if not run then
    local known = table.concat(M.complete('', 'Perdure '), ', ')
    local text = ('unknown: %s. Known: %s'):format(name, known)
    require('perdure.state').say(text, vim.log.levels.ERROR)
    return
  end
  run(require('perdure.client').root(), rest, call)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if not line:match('Perdure!?%s+%S*$') then
    return {}
  end
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(subcommands))
  table.sort(names)
  return names
end

return M
