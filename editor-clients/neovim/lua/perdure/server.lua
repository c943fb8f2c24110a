---Finding the server, and installing one.
local M = {}

local function venv()
  local data = vim.fn.stdpath('data') --[[@as string]]
  return vim.fs.joinpath(data, 'perdure', 'venv')
end

local function in_venv(name)
  local windows = vim.fn.has('win32') == 1
  local folder = windows and 'Scripts' or 'bin'
  return vim.fs.joinpath(venv(), folder, windows and name .. '.exe' or name)
end

---The command that starts the server, and where it was found; nil where there is none.
---@return string[]? command
---@return string? origin
function M.find()
  local configured = require('perdure.config').get().command
  if configured then
    return configured, 'configured'
  end
  if vim.fn.executable('perdure') == 1 then
    return { vim.fn.exepath('perdure'), 'serve' }, 'on PATH'
  end
  local installed = in_venv('perdure')
  if vim.fn.executable(installed) == 1 then
    return { installed, 'serve' }, 'made by :Perdure install'
  end
end

---The repository that holds this plugin, or the name of the package where there is none.
local function default_source()
  local this = assert(debug.getinfo(1, 'S')).source:sub(2)
  local here = vim.uv.fs_realpath(this) or this
  local repository = vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(here), '..', '..', '..', '..'))
  local project = vim.fs.joinpath(repository, 'pyproject.toml')
  return vim.uv.fs_stat(project) and repository or 'perdure'
end

---Make a virtual environment with the server in it; `done` is told what went wrong, if anything.
---@param done fun(problem: string?)
function M.install(done)
  local source = require('perdure.config').get().install_from or default_source()
  local python = vim.tbl_filter(function(name)
    return vim.fn.executable(name) == 1
  end, { 'python3', 'python' })[1]
  if not python then
    return done('there is no python3 on PATH')
  end
  local steps = {
    { python, '-m', 'venv', venv() },
    { in_venv('python'), '-m', 'pip', 'install', '--quiet', '--upgrade', source },
  }
  local function step(index)
    if not steps[index] then
      return done(nil)
    end
    local function ended(result)
      if result.code ~= 0 then
        return done(vim.trim(result.stderr ~= '' and result.stderr or result.stdout))
      end
      step(index + 1)
    end
    vim.system(steps[index], { text = true }, vim.schedule_wrap(ended))
  end
  step(1)
end

return M
