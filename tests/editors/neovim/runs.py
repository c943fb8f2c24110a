"""What the model does in most tests of the plugin, and the settings that make it ask."""

from __future__ import annotations

from tests.support.model_replies import by_turn, calls_reply, text_reply

from perdure.json_types import JsonObject

ASK: JsonObject = {"approval": {"bash": "ask", "write": "ask", "edit": "ask"}}
WRITES = by_turn(
    calls_reply(("write", {"path": "note.txt", "content": "written by the model\n"})),
    text_reply("It is done.", usage=(1000, 5)),
)
