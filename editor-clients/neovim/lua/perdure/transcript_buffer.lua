---The buffer and the windows of a transcript: text, folds, keys.
local M = {}

---@type table<integer, (string|integer)[]> fold levels, by buffer
local levels = {}

---Fold levels of Markdown lines: each `<details>` outside of fences is a fold.
---@param lines string[]
---@return (string|integer)[]
function M.fold_levels(lines)
  local found, level, fence = {}, 0, nil
  for index, line in ipairs(lines) do
    local ticks = line:match('^```+')
    found[index] = level
    if fence then
      if ticks and #ticks >= #fence and line == ticks then
        fence = nil
      end
    elseif ticks then
      fence = ticks
    elseif vim.startswith(line, '<details>') then
      level = 1
      found[index] = '>1'
    elseif line == '</details>' then
      level = 0
      found[index] = '<1'
    end
  end
  return found
end

---For 'foldexpr'.
---@return string|integer
function M.fold_level()
  local mine = levels[vim.api.nvim_get_current_buf()] or {}
  return mine[vim.v.lnum] or 0
end

---For 'foldtext'.
---@return string
function M.fold_text()
  local first = vim.fn.getbufline(vim.api.nvim_get_current_buf(), vim.v.foldstart)[1] or ''
  local summary = first:match('<summary>(.-)</summary>')
  return ('▸ %s'):format(summary or '…')
end

local function set_keys(buffer)
  local function map(key, description, action)
    vim.keymap.set('n', key, action, { buffer = buffer, desc = description })
  end
  map(']]', 'Next turn', function()
    vim.fn.search('^## ', 'W')
  end)
  map('[[', 'Previous turn', function()
    vim.fn.search('^## ', 'bW')
  end)
  map('K', 'What is known of the call on this line', function()
    require('perdure.transcript').explain(buffer)
  end)
  map('<CR>', 'Run the action on this line', function()
    require('perdure.transcript').act(buffer)
  end)
end

---The buffer of a session.
---@param session_id string
---@return integer
function M.create(session_id)
  local buffer = vim.fn.bufadd(('perdure:/%s.md'):format(session_id))
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.fn.bufload(buffer)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = 'markdown'
  set_keys(buffer)
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buffer,
    callback = function()
      M.set_window(vim.api.nvim_get_current_win())
    end,
  })
  return buffer
end

---Set the options of a window that shows a transcript.
---@param window integer
function M.set_window(window)
  local options = {
    foldmethod = 'expr',
    foldexpr = "v:lua.require'perdure.transcript_buffer'.fold_level()",
    foldtext = "v:lua.require'perdure.transcript_buffer'.fold_text()",
    foldlevel = 0,
    wrap = true,
    linebreak = true,
    number = false,
    relativenumber = false,
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
  end
end

---The window that shows the buffer, or one of this tab page with another document of Perdure.
local function window_for(buffer)
  local showing = vim.fn.win_findbuf(buffer)[1]
  if showing then
    return showing
  end
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
    if vim.startswith(name, 'perdure:/') then
      return window
    end
  end
end

---Show a buffer, in the window that the options describe unless there is one for it already.
---@param buffer integer
---@param focus boolean
function M.show(buffer, focus)
  vim.bo[buffer].buflisted = true
  local window = window_for(buffer)
  local before = vim.api.nvim_get_current_win()
  if not window then
    vim.cmd(require('perdure.config').get().transcript.window)
    window = vim.api.nvim_get_current_win()
  end
  if vim.api.nvim_win_get_buf(window) ~= buffer then
    vim.api.nvim_win_set_buf(window, buffer)
    M.show_end(window)
  end
  vim.api.nvim_set_current_win(focus and window or before)
end

---Move a window to the last line, at its bottom where there is more than fits.
---@param window integer
function M.show_end(window)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_set_cursor(window, { last, 0 })
  vim.api.nvim_win_call(window, function()
    vim.cmd.normal({ 'zb', bang = true })
  end)
end

---How many lines at the start and at the end are the same.
local function common(old, new)
  local most = math.min(#old, #new)
  local head = 0
  while head < most and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  local foot = 0
  while foot < most - head and old[#old - foot] == new[#new - foot] do
    foot = foot + 1
  end
  return head, foot
end

---Windows whose cursor is on the last line: they follow the end.
local function followers(buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
end

---Give a buffer other lines, touching only those that differ.
---@param buffer integer
---@param lines string[]
function M.write(buffer, lines)
  local old = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local head, foot = common(old, lines)
  if head == #old and head == #lines then
    return
  end
  local following = followers(buffer)
  levels[buffer] = M.fold_levels(lines)
  vim.bo[buffer].modifiable = true
  local replacement = vim.list_slice(lines, head + 1, #lines - foot)
  vim.api.nvim_buf_set_lines(buffer, head, #old - foot, true, replacement)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  for _, window in ipairs(following) do
    M.show_end(window)
  end
  vim.diagnostic.show(nil, buffer)
end

return M
