---Options: `vim.g.perdure`, and over it what `setup` was given.
local M = {}

---@class perdure.Options
---@field command string[]? how to start the server; nil finds it
---@field settings table? settings of the server, e.g. { approval = { bash = 'ask' } }
---@field transcript perdure.TranscriptOptions?
---@field restart perdure.RestartOptions?
---@field install_from string? what pip installs for `:Perdure install`

---@class perdure.TranscriptOptions
---@field open boolean? show the transcript when a prompt is accepted
---@field window string? the command that makes its window

---@class perdure.RestartOptions
---@field attempts integer? within three minutes; 0 never restarts
---@field delay integer? ms before the first; doubled each time

---All options, the defaults of those that are not set included.
---@class perdure.AllOptions
---@field command string[]?
---@field settings table
---@field transcript { open: boolean, window: string }
---@field restart { attempts: integer, delay: integer }
---@field install_from string?

---@type table
local defaults = {
  command = nil,
  settings = {},
  transcript = { open = true, window = 'botright vsplit' },
  restart = { attempts = 4, delay = 100 },
  install_from = nil,
}

local types = {
  command = 'table',
  settings = 'table',
  transcript = { open = 'boolean', window = 'string' },
  restart = { attempts = 'number', delay = 'number' },
  install_from = 'string',
}

local given = {}

---@param value any
---@param expected string|table
---@param path string
---@param problems string[]
local function check(value, expected, path, problems)
  local kind = type(expected) == 'table' and 'table' or expected
  if type(value) ~= kind then
    table.insert(problems, ('%s: expected %s, got %s'):format(path, kind, type(value)))
    return
  end
  if type(expected) ~= 'table' then
    return
  end
  for key, inner in pairs(value) do
    local inner_path = ('%s.%s'):format(path, key)
    if expected[key] then
      check(inner, expected[key], inner_path, problems)
    else
      table.insert(problems, ('%s: unknown option'):format(inner_path))
    end
  end
end

---What is wrong with options, each with its path; empty when nothing is.
---@param options any
---@return string[]
function M.problems(options)
  local problems = {}
  check(options, types, 'perdure', problems)
  if #problems == 0 and options.command then
    for index, word in ipairs(options.command) do
      check(word, 'string', ('perdure.command[%d]'):format(index), problems)
    end
  end
  table.sort(problems)
  return problems
end

---Set options; raises with all problems when one is wrong, and then changes nothing.
---@param options perdure.Options
function M.set(options)
  local problems = M.problems(options)
  if #problems > 0 then
    error(table.concat(problems, '\n'), 0)
  end
  given = options
end

---All options; wrong ones in `vim.g.perdure` are left out, `:checkhealth perdure` names them.
---@return perdure.AllOptions
function M.get()
  local global = vim.g.perdure or {}
  if #M.problems(global) > 0 then
    global = {}
  end
  return vim.tbl_deep_extend('force', defaults, global, given) --[[@as perdure.AllOptions]]
end

return M
