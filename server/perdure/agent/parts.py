"""What the commands of one folder share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from perdure.agent.access import Access
from perdure.agent.context.prompt_context import PromptContext
from perdure.agent.desk import Desk
from perdure.agent.folder import Folder
from perdure.agent.host import Host
from perdure.agent.keys import Keys
from perdure.agent.queue_handover import HandOver
from perdure.agent.reopening import Reopening
from perdure.store.options import StoreOptions


@dataclass(frozen=True, slots=True)
class Parts:
    """``commands`` is held by every command that changes something, while it does.

    ``keys`` are those that nothing may hold which is stored or shown.
    """

    commands: asyncio.Lock
    folder: Folder
    host: Host
    options: StoreOptions
    desk: Desk
    access: Access
    reopening: Reopening
    hand_over: HandOver
    context: PromptContext
    keys: Callable[[], Keys]
