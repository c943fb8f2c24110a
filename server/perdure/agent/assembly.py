"""Putting a loop together: from settings and an open session to everything that does the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from perdure.agent.allowances import Allowances
from perdure.agent.approvals import Approvals
from perdure.agent.chosen_tools import chosen_tools
from perdure.agent.configuration import Configuration, freeze
from perdure.agent.context.skill_places import skill_places
from perdure.agent.context.skills import Skills, find_skills
from perdure.agent.effects import Effects
from perdure.agent.folder import Folder
from perdure.agent.host import Host
from perdure.agent.keys import Keys, keys_of
from perdure.agent.known_outcomes import KnownOutcomes
from perdure.agent.loop import Loop, Work
from perdure.agent.model_step import ModelStep
from perdure.agent.opaque import OpaqueData
from perdure.agent.permission import Permission
from perdure.agent.prompt import system_prompt
from perdure.agent.settings import Settings
from perdure.agent.tool_step import ToolStep
from perdure.core.masking import ResultMasks
from perdure.core.plans import RecoveryPlan
from perdure.core.state import Idle, ToolIntent
from perdure.mcp.servers import McpServers
from perdure.mcp.settings import specs
from perdure.mcp.tool import McpTool
from perdure.protocol.status import McpServerInfo, ModelsResult
from perdure.providers import registry
from perdure.providers.base import Provider
from perdure.providers.model_list import list_models
from perdure.providers.model_settings import ModelSettings
from perdure.store.jsonl import SessionStore
from perdure.store.places import data_path
from perdure.telemetry.telemetry import Telemetry
from perdure.tools.base import ToolContext
from perdure.tools.registry import Tools
from perdure.tools.supervisors import Supervisors


class Assembly:
    """Makes configurations and loops for one folder, and keeps the provider between runs."""

    def __init__(
        self,
        *,
        folder: Folder,
        host: Host,
        environ: Mapping[str, str],
        new_id: Callable[[], str],
    ) -> None:
        self.folder = folder
        self._host = host
        self._environ = environ
        self._new_id = new_id
        self._provider: tuple[ModelSettings, Provider] | None = None
        self._told: set[str] = set()
        self._telemetry = Telemetry(environ=environ, log=host.log)
        self._masks = ResultMasks()
        self._supervisors = Supervisors()
        self._mcp = McpServers(
            root=folder.root,
            environ=environ,
            tell=lambda sentence: host.tell("warning", sentence),
            log=host.log,
        )

    @property
    def mcp(self) -> list[McpServerInfo]:
        """The MCP servers, as far as their tools were needed yet."""
        return [
            {"name": it.name, "state": it.state, "tools": it.tools, "message": it.message}
            for it in self._mcp.states
        ]

    async def configuration(self, settings: Settings) -> Configuration:
        """Freeze the configuration as it is now.

        Raises ``CommandError`` ``provider_not_configured``.
        """
        provider = await self._provider_for(settings.model)
        skills = await self._skills() if settings.trusted else Skills()
        tools = await self._tools(settings, skills)
        names = [tool.declaration.definition.name for tool in tools.tools]
        prompt = await asyncio.to_thread(
            system_prompt,
            self.folder.root,
            names,
            skills=skills.listed,
            masked=settings.mask_secrets,
            instructed=settings.trusted,
        )
        return freeze(
            provider=provider,
            system_prompt=self.keys(settings).without(prompt),
            tools=tools,
            environment_identity=self.folder.environment_identity,
        )

    def keys(self, settings: Settings) -> Keys:
        """Return the keys that nothing may hold which is stored or shown."""
        return keys_of(self._environ, settings.model.api_key_env)

    def loop(
        self,
        *,
        store: SessionStore,
        configuration: Configuration | None,
        settings: Settings,
        allowances: Allowances,
        approvals: Approvals,
        effects: Effects,
        planned: Callable[[RecoveryPlan], None],
        attached: Callable[[ToolIntent | None], None],
    ) -> Loop:
        """Build the loop for an open session; without a configuration it can only abort."""
        keys = self.keys(settings)
        context = self._context(store, settings, keys)
        work = None
        if configuration is not None:
            permission = Permission(
                session_id=store.state.header.id,
                root=self.folder.root,
                settings=settings.approval,
                allowances=allowances,
                approvals=approvals,
                host=self._host,
                of_tools={
                    tool.definition.name: tool.approval
                    for tool in configuration.tools.tools
                    if isinstance(tool, McpTool)
                },
            )
            work = self._work(store, configuration, effects, permission, context=context, keys=keys)
        outcomes = KnownOutcomes(store, effects, context, attached, keys)
        return Loop(store, work, outcomes, planned, ended=self._supervisors.close)

    def watch(self, store: SessionStore, settings: Settings) -> None:
        """Have what the session commits become spans, where the settings say so."""
        state = store.state
        unfinished = None if isinstance(state.operation, Idle) else state.operation.operation_id
        observer = self._telemetry.observer(settings.telemetry, state.header.id, unfinished)
        store.subscribe(observer)

    async def models(self, settings: Settings) -> ModelsResult:
        """Ask the endpoint what it offers, over a connection of its own, so also during a run.

        Raises ``CommandError`` ``provider_not_configured`` and ``ProviderError``.
        """
        found = await list_models(settings.model, self._environ)
        return {
            "endpoint": found.host,
            "models": [
                {
                    "name": offer.name,
                    "contextWindow": offer.context_window,
                    "current": offer.name == found.current,
                }
                for offer in found.offers
            ],
        }

    async def close(self) -> None:
        """Release the connections to the provider, to MCP servers and to where spans go."""
        await asyncio.gather(
            self._mcp.close(), self._close_provider(), asyncio.to_thread(self._telemetry.close)
        )

    async def _close_provider(self) -> None:
        if self._provider is not None:
            _, provider = self._provider
            self._provider = None
            await provider.aclose()

    async def _skills(self) -> Skills:
        """Find the skills as they are now; what is wrong with one is told once."""
        places = skill_places(self.folder.root, self._environ)
        skills = await asyncio.to_thread(find_skills, places)
        for problem in skills.problems:
            if problem not in self._told:
                self._told.add(problem)
                self._host.tell("warning", problem)
        return skills

    async def _tools(self, settings: Settings, skills: Skills) -> Tools:
        """Return the built-in tools, and those of MCP servers where the workspace is trusted."""
        builtin = chosen_tools(settings, self._host, skills.folders, self._supervisors)
        more = await self._mcp_tools(settings) if settings.trusted else ()
        return Tools((*builtin, *more))

    async def _mcp_tools(self, settings: Settings) -> list[McpTool]:
        secret = (settings.model.api_key_env,)
        return await self._mcp.tools(specs(settings.mcp), secret_names=secret)

    async def _provider_for(self, settings: ModelSettings) -> Provider:
        if self._provider is not None and self._provider[0] == settings:
            return self._provider[1]
        provider = await registry.select(settings, self._environ)
        await self._close_provider()
        self._provider = settings, provider
        return provider

    def _work(
        self,
        store: SessionStore,
        configuration: Configuration,
        effects: Effects,
        permission: Permission,
        *,
        context: Callable[[ToolIntent], ToolContext],
        keys: Keys,
    ) -> Work:
        model = ModelStep(
            session_id=store.state.header.id,
            store=store,
            configuration=configuration,
            effects=effects,
            show=self._host.delta,
            new_id=self._new_id,
            keys=keys,
            opaque=OpaqueData(data_path(store.path), configuration.provider.identity),
            masks=self._masks,
        )
        tools = ToolStep(
            store=store,
            configuration=configuration,
            effects=effects,
            permission=permission,
            context=context,
            keys=keys,
            new_id=self._new_id,
        )
        return Work(configuration, model, tools)

    def _context(
        self, store: SessionStore, settings: Settings, keys: Keys
    ) -> Callable[[ToolIntent], ToolContext]:
        masked = settings.mask_secrets

        def make(intent: ToolIntent) -> ToolContext:
            return ToolContext(
                root=self.folder.root,
                data=data_path(store.path),
                tool_started_id=intent.tool_started_id,
                keep_running=settings.running_commands == "keep",
                on_output=_nothing if masked else self._shown_output(store, intent, keys),
                durable=settings.durability != "process",
            )

        return make

    def _shown_output(
        self, store: SessionStore, intent: ToolIntent, keys: Keys
    ) -> Callable[[str], None]:
        """Return what shows provisional output, without keys."""
        return keys.stream(lambda text: self._show_output(store, intent, text)).take

    def _show_output(self, store: SessionStore, intent: ToolIntent, text: str) -> None:
        self._host.delta(
            {
                "sessionId": store.state.header.id,
                "operationId": intent.operation_id,
                "stepId": intent.step_id,
                "kind": "toolOutput",
                "toolCallId": intent.tool_call_id,
                "text": text,
            }
        )


def _nothing(_output: str) -> None:
    """Show nothing, where secrets are masked: one cannot be told from the pieces it comes in."""
