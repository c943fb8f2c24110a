---What Neovim reports of files, from whatever source: for the tool `diagnostics`.
local M = {}

---@param diagnostic vim.Diagnostic
---@return perdure.EditorDiagnostic
local function of_protocol(diagnostic)
  local line, column = diagnostic.lnum, diagnostic.col
  return {
    range = {
      start = { line = line, character = column },
      ['end'] = { line = diagnostic.end_lnum or line, character = diagnostic.end_col or column },
    },
    message = diagnostic.message,
    severity = diagnostic.severity --[[@as integer]],
    source = diagnostic.source,
    code = diagnostic.code,
  }
end

---The URI of a buffer's file after all links, as the server names files.
---@param buffer integer
---@return string
local function uri_of(buffer)
  local real = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(buffer))
  return real and vim.uri_from_fname(real) or vim.uri_from_bufnr(buffer)
end

---@param wanted string? the URI of one file; all files without it
---@return perdure.DiagnosticsResult
function M.files(wanted)
  local by_uri = {} ---@type table<string, perdure.FileDiagnostics>
  local items = {} ---@type perdure.FileDiagnostics[]
  for _, diagnostic in ipairs(vim.diagnostic.get()) do
    local uri = uri_of(diagnostic.bufnr or 0)
    if not by_uri[uri] and (not wanted or wanted == uri) then
      by_uri[uri] = { uri = uri, diagnostics = {} }
      table.insert(items, by_uri[uri])
    end
    if by_uri[uri] then
      table.insert(by_uri[uri].diagnostics, of_protocol(diagnostic))
    end
  end
  return { items = items }
end

return M
