---Choosing sessions, and looking at them.
local M = {}

local function say(text, level)
  require('perdure.state').say(text, level)
end

---Run a command and go on with its result; a problem is shown.
local function with_result(root, command, argument, go_on)
  require('perdure.client').execute(root, command, argument, function(problem, result)
    if problem then
      return say(problem.message, vim.log.levels.WARN)
    end
    go_on(result)
  end)
end

---Show the transcript of a session, of the present one without an id.
---@param root string
---@param session_id string?
function M.open(root, session_id)
  if session_id then
    return require('perdure.transcript').open(root, session_id, true)
  end
  with_result(root, 'perdure.status', {}, function(status)
    if not status.sessionId then
      return say('there is no session here yet')
    end
    require('perdure.transcript').open(root, status.sessionId, true)
  end)
end

---Let the user choose a session; it becomes the present one.
---@param root string
function M.choose(root)
  with_result(root, 'perdure.sessions', {}, function(result)
    local options = {
      prompt = 'Session',
      format_item = function(session)
        local when = os.date('%Y-%m-%d %H:%M', math.floor(session.updatedAt / 1000))
        return ('%s · %s · %s'):format(when, session.title, session.state)
      end,
    }
    vim.ui.select(result.sessions, options, function(session)
      if session then
        local argument = { sessionId = session.sessionId }
        with_result(root, 'perdure.openSession', argument, function()
          M.open(root, session.sessionId)
        end)
      end
    end)
  end)
end

---Start another session.
---@param root string
function M.new(root)
  with_result(root, 'perdure.newSession', {}, function(status)
    M.open(root, status.sessionId)
  end)
end

---Say in a few words how it stands.
---@param root string
function M.say_status(root)
  with_result(root, 'perdure.status', {}, function(status)
    local operation = status.operation and (' · %s'):format(status.operation.label) or ''
    local tokens = ('%d tokens in, %d out'):format(status.usage.input, status.usage.output)
    local model = ('%s (%s)'):format(status.model.name, status.model.provider)
    say(('%s%s · %s · %s'):format(status.state, operation, model, tokens))
  end)
end

---Open the session's file.
---@param root string
function M.open_log(root)
  with_result(root, 'perdure.showLog', {}, function(result)
    if not result.shown then
      vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(result.uri)))
    end
  end)
end

return M
