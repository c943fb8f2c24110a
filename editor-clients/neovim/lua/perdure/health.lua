---`:checkhealth perdure`.
local M = {}

local function check_options()
  local problems = require('perdure.config').problems(vim.g.perdure or {})
  for _, problem in ipairs(problems) do
    vim.health.error('vim.g.' .. problem)
  end
  if #problems == 0 then
    vim.health.ok('options')
  end
end

local function check_server()
  local command, origin = require('perdure.server').find()
  if not command then
    local advice = { ':Perdure install', 'or put perdure on PATH', 'or set vim.g.perdure.command' }
    vim.health.error('no server', advice)
    return
  end
  local shown = table.concat(command, ' ')
  if vim.fn.executable(command[1] or '') ~= 1 then
    vim.health.error(('%s (%s) cannot be run'):format(shown, origin))
    return
  end
  vim.health.ok(('server %s: %s'):format(origin, shown))
end

local function check_client()
  local root = require('perdure.client').root()
  local client = require('perdure.client').get(root)
  if client then
    vim.health.ok(('runs for %s'):format(root))
  else
    vim.health.info(('does not run for %s; :Perdure status starts it'):format(root))
  end
end

function M.check()
  vim.health.start('perdure')
  if vim.fn.has('nvim-0.10') ~= 1 then
    vim.health.error('Neovim 0.10 or newer is needed')
    return
  end
  if vim.fn.has('nvim-0.11') ~= 1 then
    vim.health.warn('Neovim 0.11 is better: it has vim.lsp.enable and virtual lines')
  end
  check_options()
  check_server()
  check_client()
end

return M
