---What goes with a prompt: lines of a buffer, and what is reported about them.
local M = {}

---@type table<integer, string>
local severities = { 'error', 'warning', 'information', 'hint' }

local function uri_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or vim.bo[buffer].buftype ~= '' then
    return 'untitled:' .. (name ~= '' and name or 'unnamed buffer')
  end
  return vim.uri_from_fname(vim.uv.fs_realpath(name) or name)
end

local function problems(first, last)
  local lines = {}
  for _, found in ipairs(vim.diagnostic.get(0)) do
    if found.lnum + 1 >= first and found.lnum + 1 <= last then
      local level = found.severity --[[@as integer]]
      local severity = severities[level]
      local message = found.message:gsub('%s+', ' ')
      local source = found.source and (' (%s)'):format(found.source) or ''
      local place = ('%d:%d'):format(found.lnum + 1, found.col + 1)
      table.insert(lines, ('%s %s: %s%s'):format(place, severity, message, source))
    end
  end
  return lines
end

---The lines of the present buffer from `first` to `last`, and the diagnostics in them.
---@param first integer
---@param last integer
---@return perdure.Attachment[]
function M.of_lines(first, last)
  local range = {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last, character = 0 },
  }
  local text = table.concat(vim.api.nvim_buf_get_lines(0, first - 1, last, false), '\n')
  local uri = uri_of(0)
  local attachments = { { kind = 'selection', uri = uri, range = range, text = text } }
  local reported = table.concat(problems(first, last), '\n')
  if reported ~= '' then
    local found = { kind = 'diagnostics', uri = uri, range = range, text = reported }
    table.insert(attachments, found)
  end
  return attachments
end

---How attachments are named where their prompt is written: `note.txt 2-3`.
---@param attachments perdure.Attachment[]
---@return string
function M.label(attachments)
  local names = {}
  for _, attachment in ipairs(attachments) do
    local range = attachment.range
    if attachment.kind == 'selection' and range then
      local name = vim.fs.basename(attachment.uri)
      table.insert(names, ('%s %d-%d'):format(name, range.start.line + 1, range['end'].line))
    end
  end
  return table.concat(names, ', ')
end

return M
