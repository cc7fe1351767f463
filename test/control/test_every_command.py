# SPDX-License-Identifier: BSD-3-Clause
"""Every command there is, said wrongly in every way: an error of one line, and it goes on."""

import os
import subprocess

import pytest

from control.grammar import JUNK, LONG, Grammar
from control.live import Gateway
from control.terminal import Terminal

QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
PROMPT = "segseal> "


@pytest.fixture
def grammar(build):
    return Grammar(build / "app" / "segsealctl")


@pytest.fixture
def gateway(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as running:
        yield running
        # Nothing of all that was done.
        assert running.call("key.list")["keys"] == [] and running.call("sid.list")["sids"] == []
        assert running.call("worker.list")["forwarding"] is True


def wrong_lines(grammar):
    """[(pattern, line)]: a few hundred."""
    lines = []
    for pattern in grammar.patterns:
        lines += [(pattern, " ".join(words).encode()) for words in grammar.wrong(pattern)]
        longest = " ".join(grammar.longest(pattern)).encode()
        lines.append((pattern, longest + b" " + b"x" * LONG))
        if "..." not in pattern:
            lines.append((pattern, longest + b" " + JUNK + b" frob"))
    return lines


def check_one_line(said, line):
    assert said.count("\n") == 1 and said.endswith("\n"), (line, said)
    assert len(said) > 5 and said[:-1].isprintable(), (line, said)


def test_generated_lines_are_many(grammar):
    """The list is read as it is meant: brackets, alternatives, and no command without a wrong line."""
    lines = wrong_lines(grammar)
    assert {pattern for pattern, _ in lines} == set(grammar.patterns)
    said = [line.decode(errors="replace") for _, line in lines]
    for line in (
        "key add 7 sha256 linux accept ..1h",
        "key add 7 sha256 linux secret-file",
        "key add 0 sha256 linux",
        "key rotate 7 frob",
        "port 0 verify frob",
        "port 65536 insert key 7",
        "show port stats",
        "show keys 7 frob",
        "trace add 101 reason hmac_mismatch",
    ):
        assert line in said
    for line in ("show keys", "show port stats all", "key load /nonexistent/file", "help key"):
        assert line not in said


def at_the_prompt(terminal, grammar):
    terminal.until(PROMPT)
    for _, line in wrong_lines(grammar):
        terminal.type(line + b"\r")
        # What was typed, then the error, then the next prompt.
        said = terminal.until(PROMPT).removesuffix(PROMPT)
        check_one_line(said.partition("\n")[2], line)
    terminal.type("show version\r")
    assert "DPDK" in terminal.until(PROMPT)


def test_prompt_of_segsealctl(build, grammar, gateway):
    with Terminal([build / "app" / "segsealctl", "-s", gateway.socket]) as terminal:
        at_the_prompt(terminal, grammar)
        terminal.type("exit\r")
        assert terminal.wait() == 0


def test_prompt_of_segseal(build, tmp_path, grammar):
    gateway = Gateway(build, tmp_path, QUIET, options=["-i"])
    environment = {"RUNTIME_DIRECTORY": str(gateway.runtime)}
    words = ["env", *(f"{name}={value}" for name, value in environment.items()), *gateway.words]
    try:
        with Terminal(words, cwd=tmp_path) as terminal:
            at_the_prompt(terminal, grammar)
            terminal.type("quit\r")
            assert terminal.wait() == 0
    finally:
        gateway.end()


def ctl(build, gateway, *words):
    return subprocess.run(
        [str(build / "app" / "segsealctl"), "-s", gateway.socket, *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        cwd=gateway.folder,
    )


def test_file_of_them(build, tmp_path, grammar, gateway):
    lines = [line for _, line in wrong_lines(grammar)]
    lines += [line + b"\0" for line in lines[:20]] + [bytes(range(1, 10)), b"'", b'key "']
    (tmp_path / "wrong").write_bytes(b"".join(line + b"\n" for line in lines))
    done = ctl(build, gateway, "-f", "wrong")
    assert done.returncode == 2 and done.stdout == b""
    said = done.stderr.decode().splitlines(keepends=True)
    assert len(said) == len(lines) + 1
    assert said[-1] == f"segsealctl: wrong: {len(lines)} commands failed\n"
    for number, (line, text) in enumerate(zip(lines, said), 1):
        assert text.startswith(f"wrong:{number}: "), (line, text)
        check_one_line(text, line)


def test_first_error_ends_it(build, tmp_path, grammar, gateway):
    """With -e, and as the one command of a shell's line."""
    for pattern in grammar.patterns:
        words = next(grammar.wrong(pattern))
        (tmp_path / "wrong").write_text(" ".join(words) + "\nstop\n")
        for done in (ctl(build, gateway, "-e", "-f", "wrong"), ctl(build, gateway, *words)):
            assert done.returncode == 2 and done.stdout == b"", (words, done)
            assert done.stderr.startswith(b"segsealctl: "), (words, done)
            check_one_line(done.stderr.decode(), words)


def test_octets_in_a_shells_words(build, grammar, gateway):
    for pattern in grammar.patterns:
        if "..." in pattern:
            continue
        words = grammar.longest(pattern)
        for more in (JUNK, b"\1\2\x1b[2J", b"x" * LONG, b"x" * 10 * LONG):
            done = ctl(build, gateway, *map(os.fsencode, words), more)
            assert done.returncode == 2 and done.stdout == b"", (words, done)
            check_one_line(done.stderr.decode(), words)
