-- For `vim.lsp.enable('perdure')`.
return require('perdure.client').config()
