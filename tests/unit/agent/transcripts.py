"""Sessions whose transcripts are kept as golden files.

Write the files anew with ``python -m tests.unit.agent.transcripts``, and read what changed.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.log import CallSpec, Log, session

from perdure.agent.session_facts import session_facts
from perdure.agent.transcript import Document, transcript_of
from perdure.core.reducer import Reduced, reduce_session

GOLDEN = Path(__file__).parent / "golden"
COMMAND = "python -m tests.unit.agent.transcripts"

BASH: CallSpec = ("bash", {"command": "make test"})
READ: CallSpec = ("read", {"path": "src/app.py"})
EDIT: CallSpec = (
    "edit",
    {"path": "../über/𝒇.py", "edits": [{"oldText": "a\nb", "newText": "c\nd\n"}]},
)
HOSTILE = (
    "</details>\n```\n~~~~\n# no heading\r\nNUL \0 ESC \x1b[31m LS \u2028 RLO \u202e CR \r end\n"
    "<script>alert(1)</script> `a<b>` <!-- \n- ```\n" + "long " * 60
)
HOSTILE_TOOL = "`x`\n# y <b>"


def document(log: Log) -> Document:
    """Return the document of a legal log."""
    data = log.to_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced), result
    return transcript_of(result.state.header, session_facts(data))


def _run() -> Log:
    log = session().prompt("Please mend the test.").attempt("read", "bash", "edit")
    log.answer("Let me look.", READ, BASH, EDIT, stop="toolUse").usage(output=20)
    log.started(0).result(0, "def app(): ...\n")
    log.started(1).result(1, "1 failed\n\nCommand exited with code 1")
    log.started(2).result(2, "Error: no such file.", kind="error")
    log.attempt().answer("It *passes* now:\n\n```python\nx = a < b\n```\n").usage(output=7)
    return log.finish()


def _synthetic() -> Log:
    log = session().prompt("do").attempt()
    log.calls(BASH, ("fly", {}), ("bash", "{broken"), READ).started(0).interrupted(0)
    log.synthetic(1, "unknownTool").synthetic(2, "invalidArguments")
    log.abort("tool", call=3).synthetic(3, "aborted").finish("aborted")
    log.prompt("more").attempt().answer("cut", ("bash", '{"comm'), stop="length")
    return log.synthetic(0, "truncated").finish()


def _compacted() -> Log:
    log = session().prompt("one").attempt().answer("two").usage().finish()
    log.compact(keep=1).attempt().usage().summary("# What was said\n\n</details> one, two")
    return log.finish().prompt("three").attempt().answer("four").finish()


def _hostile() -> Log:
    log = session().prompt(HOSTILE).attempt(HOSTILE_TOOL)
    log.answer(HOSTILE, (HOSTILE_TOOL, {"text": HOSTILE, "path": "a\nb"}), stop="toolUse")
    return log.started(0).result(0, HOSTILE)


SESSIONS = {
    "run": _run(),
    "aborted": session().prompt("go").attempt().abort().failed().finish("aborted"),
    "failed": session().prompt("go").attempt().failed().finish("failed"),
    "blocked": session().prompt("go").attempt().retry(),
    "started": session().prompt("go").attempt().calls(BASH, READ).started(0),
    "synthetic": _synthetic(),
    "compacted": _compacted(),
    "hostile": _hostile(),
    "empty": session(),
}


def main() -> None:
    """Write the golden files."""
    for name, log in SESSIONS.items():
        (GOLDEN / f"{name}.md").write_text(document(log).text, encoding="utf-8")


if __name__ == "__main__":
    main()
