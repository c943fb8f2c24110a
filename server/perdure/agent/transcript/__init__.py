"""The transcript of a session as Markdown: ``Transcript`` follows facts, ``Document`` is shown."""

from perdure.agent.transcript.blocks import Block, Fold, Link
from perdure.agent.transcript.call import Call, hover
from perdure.agent.transcript.document import Document, Placed, Transcript, transcript_of
from perdure.agent.transcript.turn import Turn

__all__ = [
    "Block",
    "Call",
    "Document",
    "Fold",
    "Link",
    "Placed",
    "Transcript",
    "Turn",
    "hover",
    "transcript_of",
]
