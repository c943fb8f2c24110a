---What a session changed, and taking the last run back.
local M = {}

local BECAME = {
  restored = 'restored',
  removed = 'removed',
  changedSince = 'left alone, since it was changed',
  alreadyReverted = 'was so already',
  failed = 'could not be restored',
}

local function say(text, level)
  require('perdure.state').say(text, level)
end

---@param result table what `perdure.changes` answers
---@return string[]
local function lines_of(result)
  local lines = {}
  for _, change in ipairs(result.changes) do
    table.insert(lines, ('# %s: %s, %s'):format(change.path, change.kind, change.state))
    vim.list_extend(lines, vim.split(change.diff, '\n', { plain = true }))
  end
  for _, run in ipairs(result.commands) do
    table.insert(lines, '# command, cannot be undone: ' .. run.command:gsub('\n', ' '))
  end
  return lines
end

---Show all changes of the session as one diff.
---@param root string
function M.show(root)
  require('perdure.client').execute(root, 'perdure.changes', {}, function(problem, result)
    if problem then
      return say(problem.message, vim.log.levels.WARN)
    end
    local lines = lines_of(result)
    if #lines == 0 then
      return say('this session has changed nothing')
    end
    vim.cmd('botright split')
    local buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_win_set_buf(0, buffer)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
    vim.bo[buffer].modifiable = false
    vim.bo[buffer].bufhidden = 'wipe'
    vim.bo[buffer].filetype = 'diff'
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, desc = 'Close' })
  end)
end

local function report(root, result)
  require('perdure.files').look(root)
  local what = result.outcome == 'undone' and 'undone' or 'nothing to undo'
  local parts = vim.tbl_map(function(file)
    return ('%s %s'):format(file.path, BECAME[file.outcome])
  end, result.files)
  say(#parts == 0 and what or ('%s: %s'):format(what, table.concat(parts, ', ')))
end

---Take back what the last run did to files, if the user says so.
---@param root string
function M.undo(root)
  local options = { prompt = 'Restore the files that the last run changed?' }
  vim.ui.select({ 'Undo the last run', 'Keep it' }, options, function(_, index)
    if index ~= 1 then
      return
    end
    local argument = { confirmed = true }
    require('perdure.client').execute(root, 'perdure.undo', argument, function(problem, result)
      if problem then
        return say(problem.message, vim.log.levels.WARN)
      end
      report(root, result)
    end)
  end)
end

return M
