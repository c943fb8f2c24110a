---Room for messages: one that is longer than the command line makes Neovim wait for a key.
local M = {}

local SHOWN_MS = 8000
local MARGIN = 12 -- columns at the end of the last row that a message must leave free

---How many rows a message takes.
---@param message string
---@return integer
function M.rows(message)
  local rows = 0
  for line in vim.gsplit(message, '\n', { plain = true }) do
    rows = rows + math.ceil((vim.api.nvim_strwidth(line) + MARGIN) / vim.o.columns)
  end
  return rows
end

---Make the command line high enough for a message, for as long as it takes to read it. Where
---something else than Neovim itself shows notifications, nothing is done.
---@param message string
function M.make(message)
  local rows, before = M.rows(message), vim.o.cmdheight
  local source = assert(debug.getinfo(vim.notify, 'S')).source
  local own = source:find('vim/_editor.lua', 1, true)
  if not own or rows <= before or rows > vim.o.lines / 2 then
    return
  end
  vim.o.cmdheight = rows
  vim.defer_fn(function()
    if vim.o.cmdheight == rows then
      vim.o.cmdheight = before
    end
  end, SHOWN_MS)
end

return M
