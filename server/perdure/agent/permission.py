"""May this call run? Policy first, then what the user allowed before, then the user."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from perdure.agent.allowances import Allowances
from perdure.agent.approvals import Approvals
from perdure.agent.host import Host
from perdure.agent.repetition import repeats
from perdure.agent.settings import ApprovalSettings
from perdure.core.state import SessionState, ToolIntent
from perdure.protocol.approvals import ApproveParams, ApproveResult, CommandPreview, FilePreview
from perdure.tools.approval import Policy, allowances_for, decide
from perdure.tools.base import Preview, Tool
from perdure.tools.secret_files import OPENING, secret_of

POLICY_DENIES = "The user's settings do not allow the tool {name}; it was not executed."
USER_DENIES = "The user refused this call; it was not executed."
NOBODY_ASKED = "Nobody could be asked whether this call may run; it was not executed."
ALLOWED_BY = "`perdure run --allow {name}` lets the tool run without asking."
REPEATED = "The model asks for the same call three times in a row or more."
SENSITIVE = "{file} is one of those files that usually hold credentials."
REMEMBERED = "Allowed for this workspace from now on; the list of what is allowed is {file}."
NOT_REMEMBERED = "Allowed for this session only: {file} could not be written ({error})."


@dataclass(frozen=True, slots=True)
class Permission:
    """Decides calls of one session; ``of_tools`` has the settings of other tools, by name."""

    session_id: str
    root: Path
    settings: ApprovalSettings
    allowances: Allowances
    approvals: Approvals
    host: Host
    of_tools: Mapping[str, Policy] = field(default_factory=dict)

    async def refusal(self, tool: Tool, intent: ToolIntent, state: SessionState) -> str | None:
        """Return None when the call may run, else the sentence for the model.

        ``state`` is the session's before the call is started.
        """
        name, arguments = intent.tool_name, intent.arguments
        sensitive = None
        if name in OPENING:
            sensitive = await asyncio.to_thread(secret_of, name, arguments, self.root)
        keys = allowances_for(name, arguments, sensitive=sensitive)
        decision = decide(
            name,
            arguments,
            policy=self._policy(),
            allowances=self.allowances.keys(),
            sensitive=sensitive,
        )
        match decision:
            case "allow" if repeats(state, intent):
                return await self._ask(tool, intent, keys, reason=REPEATED)
            case "allow":
                return None
            case "deny":
                return POLICY_DENIES.format(name=name)
            case "ask":
                reason = "" if sensitive is None else SENSITIVE.format(file=sensitive)
                return await self._ask(tool, intent, keys, reason=reason)

    def _policy(self) -> dict[str, Policy]:
        return {
            "bash": self.settings.bash,
            "write": self.settings.write,
            "edit": self.settings.edit,
            "fetch": self.settings.fetch,
            **self.of_tools,
        }

    async def _ask(
        self, tool: Tool, intent: ToolIntent, keys: Collection[str], *, reason: str
    ) -> str | None:
        if self.host.is_unattended:
            return _unasked(intent.tool_name, reason)
        params = await self._params(tool, intent)
        if reason:
            params["reason"] = reason
        return self._apply(await self.approvals.ask(params), keys)

    def _apply(self, answer: ApproveResult, keys: Collection[str]) -> str | None:
        match answer["decision"]:
            case "deny":
                message = answer.get("message", "").strip()
                return f"{USER_DENIES} The user wrote: {message}" if message else USER_DENIES
            case "allow":
                return None
            case "allowForSession":
                self.allowances.allow_for_session(keys)
                return None
            case "allowForWorkspace":
                self._remember(keys)
                return None

    def _remember(self, keys: Collection[str]) -> None:
        """Allow for the workspace and say where that stands."""
        file = self.allowances.file
        try:
            self.allowances.allow_for_workspace(keys)
        except OSError as error:
            self.allowances.allow_for_session(keys)
            self.host.tell("warning", NOT_REMEMBERED.format(file=file, error=error.strerror))
        else:
            self.host.tell("info", REMEMBERED.format(file=file))

    async def _params(self, tool: Tool, intent: ToolIntent) -> ApproveParams:
        params: ApproveParams = {
            "approvalId": f"{intent.assistant_entry_id}:{intent.tool_index}",
            "sessionId": self.session_id,
            "toolCallId": intent.tool_call_id,
            "toolName": intent.tool_name,
            "arguments": intent.arguments,
            "title": tool.title(intent.arguments),
        }
        preview = self._preview(await tool.preview(intent.arguments, self.root))
        if preview is not None:
            params["preview"] = preview
        return params

    def _preview(self, preview: Preview) -> FilePreview | CommandPreview | None:
        if preview.command is not None:
            return {"command": preview.command, "directory": str(self.root)}
        if preview.path is None:
            return None
        return {
            "uri": preview.path.as_uri(),
            "before": preview.before or "",
            "after": preview.after or "",
        }


def _unasked(name: str, reason: str) -> str:
    """Say why nothing was decided, and how a run without a terminal lets the tool run."""
    if reason:
        return f"{NOBODY_ASKED} {reason}"
    is_on_command_line = name in ApprovalSettings.model_fields
    return f"{NOBODY_ASKED} {ALLOWED_BY.format(name=name)}" if is_on_command_line else NOBODY_ASKED
