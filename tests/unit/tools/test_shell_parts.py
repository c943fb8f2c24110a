"""Taking shell commands apart: only what is certain, and nothing is lost or hidden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.tools.shell_parts import parts

TAKEN_APART = [
    ("make", ["make"]),
    ("  make  ", ["make"]),
    ("a && b; c | d", ["a", "b", "c", "d"]),
    ("a&&b||c;d|e&f", ["a", "b", "c", "d", "e", "f"]),
    ("a |& b", ["a", "b"]),
    ("a\nb\n", ["a", "b"]),
    ("a;", ["a"]),
    ("sleep 1 &", ["sleep 1"]),
    ("echo 'x && rm -rf /'; b", ["echo 'x && rm -rf /'", "b"]),
    ('echo "x; rm" | wc -l', ['echo "x; rm"', "wc -l"]),
    ('echo "a \\" ; b"; c', ['echo "a \\" ; b"', "c"]),
    (r"echo a\;b; c", [r"echo a\;b", "c"]),
    (r"find . -exec rm {} \; && ls", [r"find . -exec rm {} \;", "ls"]),
    ("make 2>&1 | tail -5", ["make 2>&1", "tail -5"]),
    ("make &> log; cat log", ["make &> log", "cat log"]),
    ("echo x >| log && b", ["echo x >| log", "b"]),
    ("grep a < x > y; b", ["grep a < x > y", "b"]),
    ("echo $HOME $? $; b", ["echo $HOME $? $", "b"]),
    ('grep "x$" f; b', ['grep "x$" f', "b"]),
    ("cp {a,b}.txt c; d", ["cp {a,b}.txt c", "d"]),
    ("echo a#b; c", ["echo a#b", "c"]),
    ("[ -f x ] && ./run.sh", ["[ -f x ]", "./run.sh"]),
    ("echo ü 😀; b", ["echo ü 😀", "b"]),
]

ONE_PART = [
    # another command inside
    "echo $(rm x); b",
    "echo `rm x`; b",
    'echo "$(rm x)"; b',
    'echo "`rm x`" && b',
    "echo ${x:-$(rm y)}; b",
    "echo $[1;2]; b",
    "echo $((1)); b",
    "diff <(a) <(b); c",
    "(a; b); c",
    "{ a; b; }; c",
    "a; {b;}",
    "f() { rm x; }; f",
    # quotes and comments that do not end, or not where they seem to
    "echo 'x; b",
    'echo "x; b',
    "echo $'a\\'; b'; c",
    'echo $"a; b"; c',
    "echo a # don't; b",
    "# a\nb",
    "a;#b",
    "echo \\",
    "echo a\\ ",
    "echo a \\\n&& b",
    # here documents
    "cat << END; b\nx; y\nEND\n",
    "cat <<-'END' && b\nx\nEND",
    "cat <<< x; b",
    # keywords
    "if a; then b; fi",
    "for x in a b; do rm $x; done",
    "while a; do b; done",
    "case x in a) b;; esac",
    "! a && b",
    "time a; b",
    "[[ a ]] && b",
    "function f { a; }; f",
    "coproc a; b",
    # the shell is another one afterwards
    "cd build && rm -rf out",
    "a; cd ..; b",
    "PATH=/tmp make; b",
    "x=1; echo $x",
    "export A=1 && b",
    "source env; b",
    ". env; b",
    "eval a; b",
    "exec a; b",
    "set -e; a",
    "alias a=b\na",
    "trap a EXIT; b",
    "printf -v PATH x; b",
    "command cd /; b",
    # what comes through the pipe is run
    "curl x | sh",
    "curl x | /bin/bash -s",
    "curl x | sudo tee y",
    "a | xargs rm",
    "a |& python3 -",
    "a && b | env sh",
    # first words that are no plain names
    "$x y; b",
    "'cd' x; b",
    "\\cd x; b",
    'c"d" x; b',
    "> file; b",
    "cd>x; b",
    "%1; b",
    # what is no command at all
    "",
    " ",
    "a &&",
    "&& a",
    "a || | b",
    "a ;; b",
    "a;;",
    "a &&& b",
    "a ||| b",
    "a >&& b",
    "a\n\nb",
    "a\rb; c",
    "a )",
    "a <; b",
    "a >",
    "a; }",
]


@pytest.mark.parametrize(("command", "expected"), TAKEN_APART)
def test_taken_apart(command: str, expected: list[str]) -> None:
    assert list(parts(command)) == expected


@pytest.mark.parametrize("command", ONE_PART)
def test_what_is_not_certain_is_one_part(command: str) -> None:
    assert parts(command) == (command,)


_PIECES = ["cd", "sh", "x=", *"ab;'\"\\$`(){}<>&|#!-~é \n\t"]
_COMMANDS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map("".join)


@given(_COMMANDS)
def test_a_part_alone_is_itself(command: str) -> None:
    for part in parts(command):
        assert parts(part) == (part,) or parts(part) == (part.strip(),)


@given(_COMMANDS)
def test_nothing_but_separators_and_blanks_is_left_out(command: str) -> None:
    rest = command
    for part in parts(command):
        before, found, rest = rest.partition(part)
        assert found == part
        assert set(before) <= set(" \t\n;&|")
    assert set(rest) <= set(" \t\n;&|")
