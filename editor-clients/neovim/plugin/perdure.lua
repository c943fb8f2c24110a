if vim.g.loaded_perdure then
  return
end
vim.g.loaded_perdure = true

vim.api.nvim_create_user_command('Perdure', function(call)
  require('perdure.command').run(call)
end, {
  nargs = '*',
  range = true,
  desc = 'Perdure: a coding agent that outlives its own process',
  complete = function(lead, line)
    return require('perdure.command').complete(lead, line)
  end,
})

for _, name in ipairs({ 'prompt', 'abort', 'resume', 'open', 'approve', 'changes', 'undo' }) do
  local plug = ('<Plug>(perdure-%s)'):format(name)
  vim.keymap.set('n', plug, ('<Cmd>Perdure %s<CR>'):format(name))
end
vim.keymap.set('x', '<Plug>(perdure-prompt)', ':Perdure prompt<CR>', { silent = true })
