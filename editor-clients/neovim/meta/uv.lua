---@meta
-- What this plugin uses of `vim.uv`: Neovim brings no types for it.

---@class uv
local uv = {}

---@param path string
---@return string? path
function uv.fs_realpath(path) end

---@param path string
---@return table? stat
function uv.fs_stat(path) end

---@return integer milliseconds
function uv.now() end

return uv
