"""The parts of a shell command, as far as they are certain.

``a && b; c | d`` has four parts, and each can be judged alone only if it does the same wherever
it stands. So a command is taken apart only if this holds:

* The text between the separators is made of plain words, quotes and simple variables. Where the
  shell would read something else (substitutions, here documents, groups, comments, keywords), the
  command is one part.
* No part changes the shell for those after it: ``cd build && rm -rf out`` is one part, because
  ``rm -rf out`` means something else without the ``cd``.
* No part takes what comes through a pipe for commands: ``curl … | sh`` is one part.

In doubt a command is one part: then it is asked about once more than necessary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CHANGES_THE_SHELL = re.compile(
    r"\.|alias|bg|bind|break|builtin|cd|command|complete|continue|declare|dirs|disown|enable|eval"
    r"|exec|exit|export|fc|fg|getopts|hash|history|jobs|let|local|logout|mapfile|popd|printf|pushd"
    r"|read|readarray|readonly|return|set|shift|shopt|source|suspend|trap|typeset|ulimit|umask"
    r"|unalias|unset|wait"
)
_KEYWORD = re.compile(
    r"!|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while"
    r"|\{|\}|\[\[|\]\]"
)
_RUNS_ITS_INPUT = re.compile(
    r"(?:.*/)?(?:(?:ba|da|z|k|c|tc|fi|pw)?sh|busybox|doas|env|nice|node|nohup|parallel|perl|php"
    r"|python[0-9.]*|pypy[0-9.]*|ruby|ssh|sudo|su|timeout|xargs|at|batch|crontab|tclsh|lua[0-9.]*"
    r"|awk|gawk|sed|ed|ex|vi|vim|nvim|make|gmake|psql|mysql|sqlite3?|docker|podman|kubectl|deno|bun)"
)
_UNFINISHED = ("\\", "<", ">", "&", "|")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_~@+./:-]+|\[")

_TOKEN = re.compile(
    r"""
    (?P<separator> && | \|\| | \|& | (?<![<>])\|(?!\|) | (?<![<>&])&(?![>&]) | ; | \n )
  | (?P<text>
        [^\\'"$`(){}<>;&|\n#\x00-\x08\x0b-\x1f\x7f]+
      | (?<=[^\s;&|<>()]) \#                                # inside of a word: no comment
      | \\ [^\n]
      | '[^']*'
      | "(?: [^\\"$`] | \\. | \$(?![({\['"]) | \$(?=") )*"  # without substitutions
      | \$ [A-Za-z0-9_?@*#!-]                               # a simple variable
      | \$ (?=[\s;&|]|$)
      | [{}] (?=\S) | (?<=\S) [{}]                          # part of a word: no group
      | &>>? | <& | >& | >\| | <> | >> | > | <(?!<)         # a redirection, but no here document
    )
    """,
    re.VERBOSE | re.DOTALL,
)


def parts(command: str) -> tuple[str, ...]:
    """Return the simple commands that ``command`` consists of, else ``command`` as it stands."""
    found = list(_tokens(command))
    if "".join(text for _, text in found) != command:
        return (command,)
    simple, pipes = _joined(found)
    if not simple or not all(map(_is_certain, simple, pipes)):
        return (command,)
    return tuple(simple)


def _tokens(command: str) -> Iterator[tuple[bool, str]]:
    """Yield what is understood, up to the first thing that is not: (is separator, text)."""
    position = 0
    while found := _TOKEN.match(command, position):
        yield found.lastgroup == "separator", found[0]
        position = found.end()


def _joined(tokens: Sequence[tuple[bool, str]]) -> tuple[list[str], list[bool]]:
    """Return the texts between separators, and which of them read from a pipe.

    An empty text where a command must stand stays in the result.
    """
    texts = [""]
    pipes = [False]
    last = ""
    for is_separator, text in tokens:
        if is_separator:
            last = text
            texts.append("")
            pipes.append(text in ("|", "|&"))
        else:
            texts[-1] += text
    stripped = [text.strip(" \t") for text in texts]
    if last in (";", "&", "\n") and not stripped[-1]:
        del stripped[-1], pipes[-1]
    return stripped, pipes


def _is_certain(part: str, reads_pipe: bool) -> bool:
    """Tell whether the part is a command that does the same wherever it stands."""
    word = re.split(r"[ \t]", part, maxsplit=1)[0]
    if not _PLAIN_WORD.fullmatch(word) or part.endswith(_UNFINISHED):
        return False
    if _CHANGES_THE_SHELL.fullmatch(word) or _KEYWORD.fullmatch(word):
        return False
    return not (reads_pipe and _RUNS_ITS_INPUT.fullmatch(word))
