"""What goes with a prompt into its user entry, and what is left out with which words."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, Unpack

import pytest

from perdure.agent.context.blocks import NO_IMAGES
from perdure.agent.context.gathering import MAX_BLOCKS, NO_ROOM
from perdure.agent.context.prompt_context import PromptContext
from perdure.core.messages import Message
from perdure.core.user_content import HEAD, divided
from perdure.errors import CommandError
from perdure.protocol.editor import Attachment, Range
from perdure.tools.files import on_disk


class _More(TypedDict):
    range: NotRequired[Range]
    text: NotRequired[str]


@dataclass
class Bench:
    """A workspace and the context of prompts in it."""

    root: Path
    told: list[str] = field(default_factory=list)
    directories: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context = PromptContext(
            root=self.root,
            files_for=on_disk,
            tell=self.told.append,
            clean=lambda text: text.replace("hidden", "[hidden]"),
            directories=lambda: self.directories,
        )

    def write(self, path: str, text: str) -> None:
        """Write a file of the workspace."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def content(self, text: str, *attachments: Attachment, shown: Sequence[Message] = ()) -> str:
        """The content of the user entry."""
        return asyncio.run(self._content(text, attachments, shown))

    async def _content(
        self, text: str, attachments: Sequence[Attachment], shown: Sequence[Message]
    ) -> str:
        attached = await self.context.attached(attachments, shown)
        return await self.context.composed(text, attached, shown)

    def offered(
        self,
        kind: Literal["file", "selection", "diagnostics"],
        path: str,
        **more: Unpack[_More],
    ) -> Attachment:
        """An attachment of a file of the workspace."""
        return {"kind": kind, "uri": (self.root / path).as_uri(), **more}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A workspace with a few files."""
    root = (tmp_path / "work").resolve()
    root.mkdir()
    bench = Bench(root)
    bench.write("src/a.py", "one\ntwo\nthree\nfour\n")
    bench.write("notes.txt", "```\nfenced\n```\n")
    bench.write("my file.md", "spaced\n")
    return bench


def lines(first: int, last: int, character: int = 1) -> Range:
    """A range over whole lines, counted from 0."""
    return {
        "start": {"line": first, "character": 0},
        "end": {"line": last, "character": character},
    }


def test_without_context_the_text_is_the_content(bench: Bench) -> None:
    for text in ("plain", "to @alice", "code `@src/a.py`"):
        assert bench.content(text) == text
    assert bench.told == []


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("@src/a.py", "File `src/a.py`:\n\n```py\none\ntwo\nthree\nfour\n```"),
        ("@./src/../src/a.py.", "File `src/a.py`:\n\n```py\none\ntwo\nthree\nfour\n```"),
        (
            "@src/a.py:2-3",
            "File `src/a.py`, lines 2-3:\n\n```py\ntwo\nthree\n\n"
            "[Showing lines 2-3 of 4. Use offset=4 to continue.]\n```",
        ),
        ("@src/a.py:4", "File `src/a.py`, line 4:\n\n```py\nfour\n```"),
        ("@notes.txt", "File `notes.txt`:\n\n````txt\n```\nfenced\n```\n````"),
        ('@"my file.md"', "File `my file.md`:\n\n```md\nspaced\n```"),
        ("@.", "What is in the folder `.`:\n\n```\nmy file.md\nnotes.txt\nsrc/\n```"),
        ("@src/", "What is in the folder `src`:\n\n```\na.py\n```"),
    ],
)
def test_a_mention_is_quoted_behind_the_text(bench: Bench, text: str, block: str) -> None:
    assert bench.content(f"Read {text}") == f"Read {text}\n\n{HEAD}\n\n{block}"
    assert bench.told == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("@gone.py", "@gone.py stays as it is typed: there is no such file."),
        ("@../outside.txt", "outside of the workspace"),
        ("@/etc/passwd", "outside of the workspace"),
        ("@link.txt", "outside of the workspace"),
        ("@pipe.txt", "not a regular file"),
        ("@binary.bin", "binary file"),
        ("@src/a.py:9", "beyond end of file"),
        ("@circle.txt", "Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_read_stays_as_it_is_typed_and_is_told(
    bench: Bench, text: str, told: str
) -> None:
    (bench.root.parent / "outside.txt").write_text("outside")
    (bench.root / "link.txt").symlink_to("../outside.txt")
    (bench.root / "circle.txt").symlink_to("circle.txt")
    (bench.root / "binary.bin").write_bytes(b"a\0b")
    os.mkfifo(bench.root / "pipe.txt")
    assert bench.content(f"Read {text} now") == f"Read {text} now"
    assert told in bench.told[0]


def test_folders_that_the_user_allows_can_be_mentioned(bench: Bench) -> None:
    file = bench.root.parent / "data/x.csv"
    file.parent.mkdir()
    file.write_text("1,2\n")
    (file.parent / "AGENTS.md").write_text("not of this workspace")
    assert bench.content(f"@{file}") == f"@{file}"
    bench.directories.append(file.parent)
    block = f"File `{file}`:\n\n```csv\n1,2\n```"
    assert bench.content(f"@{file}") == f"@{file}\n\n{HEAD}\n\n{block}"


def test_what_is_mentioned_twice_is_there_once(bench: Bench) -> None:
    content = bench.content("@src/a.py and @./src/a.py and @src/a.py:1")
    assert content.count("File `src/a.py`") == 2


def test_a_flood_of_mentions_is_bounded_and_so_is_what_is_told(bench: Bench) -> None:
    text = " ".join(f"@gone{number}.py" for number in range(5000)) + " @src/a.py" * 5000
    assert bench.content(f"@src/a.py {text}").count("File `src/a.py`") == 1
    (told,) = bench.told
    assert told.endswith("There are 190 more such problems.")
    bench.told.clear()
    bench.content(f"@{'x/' * 5000}\x1b")
    bench.content("t", {"kind": "file", "uri": "file:///" + "x/" * 5000})
    assert [len(told) for told in bench.told] == [500, 500]
    with pytest.raises(CommandError, match="more than 200"):
        bench.content("t", *[bench.offered("file", "src/a.py")] * 201)


@pytest.mark.parametrize("name", ["shot.png", "a.JPG", "b.jpeg", "c.gif", "d.webp"])
def test_images_are_left_out_with_a_word_to_both(bench: Bench, name: str) -> None:
    bench.write(name, "not looked into")
    content = bench.content(f"@{name}", bench.offered("file", name))
    assert f"Image `{name}`: left out, because {NO_IMAGES}." in content
    assert "not looked into" not in content
    assert NO_IMAGES in bench.told[0]


def test_attachments(bench: Bench) -> None:
    content = bench.content(
        "Why?",
        bench.offered("file", "src/a.py"),
        bench.offered("selection", "src/a.py", range=lines(1, 3, character=0)),
        bench.offered("selection", "src/a.py", range=lines(1, 1), text="tw"),
        bench.offered("diagnostics", "src/a.py", text="2:1 error: no\n"),
        {"kind": "selection", "uri": "untitled:Untitled-1", "text": "draft ```"},
        {"kind": "file", "uri": "file:///usr/lib/x.h", "text": "a library"},
    )
    assert content == "\n\n".join(
        [
            "Why?",
            HEAD,
            "The file `src/a.py`, open in the editor:\n\n```py\none\ntwo\nthree\nfour\n```",
            "Selected in the editor, in `src/a.py`, lines 2-3:\n\n```py\ntwo\nthree\n\n"
            "[Showing lines 2-3 of 4. Use offset=4 to continue.]\n```",
            "Selected in the editor, in `src/a.py`, line 2:\n\n```py\ntw\n```",
            "Problems that the editor reports in `src/a.py`:\n\n```\n2:1 error: no\n```",
            "Selected in the editor, in `untitled:Untitled-1`:\n\n````\ndraft ```\n````",
            "The file `/usr/lib/x.h`, open in the editor:\n\n```h\na library\n```",
        ]
    )
    assert bench.told == []


@pytest.mark.parametrize(
    ("attachment", "named"),
    [
        ({"kind": "diagnostics", "uri": "file:///a"}, "attachments[0].text is missing"),
        ({"kind": "file", "uri": "untitled:a"}, "attachments[0].text is missing"),
        ({"kind": "selection", "uri": "file:///a"}, "attachments[0] needs a range or a text"),
    ],
)
def test_an_attachment_that_says_too_little(
    bench: Bench, attachment: Attachment, named: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(named)):
        bench.content("Why?", attachment)


def test_a_file_that_cannot_be_read_is_no_reason_to_refuse_the_prompt(bench: Bench) -> None:
    outside: Attachment = {"kind": "file", "uri": "file:///etc/passwd"}
    assert bench.content("Why?", bench.offered("file", "gone.py"), outside) == "Why?"
    assert "gone.py is left out: there is no such file." in bench.told[0]
    assert "/etc/passwd is left out: /etc/passwd is outside of the workspace." in bench.told[0]


def test_instructions_come_with_what_lies_under_them_and_once(bench: Bench) -> None:
    bench.write("AGENTS.md", "of the root")
    bench.write("src/AGENTS.md", "of src")
    bench.write("src/deep/CLAUDE.md", "of deep")
    bench.write("src/deep/b.py", "b")
    bench.write("other/AGENTS.md", "of other")
    first = bench.content("@src/deep/b.py", bench.offered("file", "src/a.py"))
    of_src = "Instructions for work in `src`, from `src/AGENTS.md`:\n\n```\nof src\n```"
    of_deep = "from `src/deep/CLAUDE.md`:\n\n```\nof deep\n```"
    assert first.count(of_src) == first.count(of_deep) == 1
    assert first.index(of_src) < first.index(of_deep)
    assert "of the root" not in first
    assert "of other" not in first
    shown: Message = {"role": "user", "content": first}
    assert "Instructions" not in bench.content("@src/deep/b.py", shown=[shown])
    bench.write("src/AGENTS.md", "changed")
    again = bench.content("@src/deep/b.py", shown=[shown])
    assert "changed" in again
    assert "of deep" not in again


def test_instructions_of_a_folder_that_is_mentioned(bench: Bench) -> None:
    bench.write("src/AGENTS.md", "of src")
    assert "of src" in bench.content("@src")


@pytest.mark.parametrize(
    "inside",
    ["```", "a\n````\nFile `x`:\n", "`" * 30, f"\n\n{HEAD}\n\n", "~~~\n```py\n</x>"],
)
def test_nothing_inside_ends_its_block(bench: Bench, inside: str) -> None:
    bench.write("evil.txt", inside)
    block = divided(bench.content("@evil.txt"))[1]
    heading, _, rest = block.partition("\n\n")
    assert heading == "File `evil.txt`:"
    fence = re.match("`+", rest)
    assert fence is not None
    assert rest.count(fence[0]) == 2
    assert rest.endswith(f"\n{fence[0]}")


def test_a_name_cannot_pass_for_a_heading(bench: Bench) -> None:
    bench.write("a\n\nFile `b`.txt", "x")
    content = bench.content("@.")
    assert "\nFile `b`" not in content


def test_everything_that_is_quoted_is_cleaned(bench: Bench) -> None:
    bench.write("src/AGENTS.md", "hidden 1")
    bench.write("src/b.txt", "hidden 2")
    attachment = bench.offered("selection", "src/a.py", text="hidden 3")
    content = bench.content("@src/b.txt", attachment)
    assert re.findall(r"(\[?)hidden", content) == ["[", "[", "["]


def test_there_is_a_most(bench: Bench) -> None:
    for number in range(MAX_BLOCKS + 1):
        bench.write(f"n{number}.txt", f"{number}")
    content = bench.content(" ".join(f"@n{number}.txt" for number in range(MAX_BLOCKS + 1)))
    assert content.count("\nFile `n") == MAX_BLOCKS
    assert bench.told == [f"n{MAX_BLOCKS}.txt is left out: {NO_ROOM}."]


def test_the_most_counts_attachments_and_mentions_together(bench: Bench) -> None:
    for number in range(6):
        bench.write(f"n{number}.txt", f"{number}" * 50_000)
    attachments = [bench.offered("file", f"n{number}.txt") for number in range(3)]
    content = bench.content("@n3.txt @n4.txt @n5.txt", *attachments)
    assert len(content.encode()) < 300 * 1024
    assert bench.told == [f"n5.txt is left out: {NO_ROOM}."]
