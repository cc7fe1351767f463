# SPDX-License-Identifier: BSD-3-Clause
"""The prompt of segsealctl at a terminal."""

import os
import signal
import time

import pytest

from control.fake_gateway import FakeGateway
from control.terminal import Terminal

PROMPT = "segseal> "


@pytest.fixture
def gateway(tmp_path):
    with FakeGateway(tmp_path / "socket") as fake:
        yield fake


@pytest.fixture
def start(build, tmp_path):
    terminals = []

    def run(*words):
        program = build / "app" / "segsealctl"
        terminal = Terminal([program, "-s", tmp_path / "socket", *words], cwd=tmp_path)
        terminals.append(terminal)
        return terminal

    yield run
    for terminal in terminals:
        terminal.__exit__()


@pytest.fixture
def prompt(start, gateway):
    terminal = start()
    terminal.until(PROMPT)
    return terminal


def say(prompt, line):
    """What a command prints. At the prompt only: what is typed before it, the terminal shows twice."""
    prompt.type(line + "\r")
    prompt.until(line + "\n")
    return prompt.until(PROMPT).removesuffix(PROMPT)


def test_commands_and_errors(prompt, gateway):
    assert "no keys" in say(prompt, "show keys")
    assert say(prompt, "key del 7") == "key del: no key 7\n"
    assert say(prompt, "frob") == "'frob': unknown command, help lists them\n"
    assert say(prompt, "key load") == (
        "key load: expected PATH (the name of a file); usage: key load PATH\n"
    )
    assert say(prompt, "") == ""
    assert "Make the keys exactly those" in say(prompt, "help key load")
    prompt.type("exit\r")
    assert prompt.wait() == 0
    assert "quit" not in gateway.methods()


def test_nobody_there(start, tmp_path):
    terminal = start()
    assert terminal.wait() == 1
    assert f"cannot reach segseal at {tmp_path}/socket: No such file" in terminal.plain()


@pytest.mark.parametrize("way", ["\x04", "quit\r", "exit\r"])
def test_ways_out_restore_the_terminal(start, gateway, way):
    terminal = start()
    before = terminal.at_first  # set up by the kernel when the terminal was made
    terminal.until(PROMPT)
    assert not terminal.echoes()
    terminal.type(way)
    assert terminal.wait() == 0
    assert terminal.line_mode() == before
    assert gateway.quit == (way == "quit\r")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_restore_the_terminal(start, gateway, number):
    terminal = start()
    before = terminal.at_first
    terminal.until(PROMPT)
    assert not terminal.echoes()
    os.kill(terminal.pid, number)
    assert terminal.wait() == -number
    assert terminal.line_mode() == before


def test_completion(prompt):
    prompt.type("k\t")
    prompt.until("key ")
    prompt.type("\t")
    listed = prompt.until(PROMPT + "key ")
    assert [line.split()[0] for line in listed.splitlines()[1:-1]] == [
        "add",
        "del",
        "import-linux",
        "load",
        "rotate",
        "set",
        "show-secret",
        "window",
    ]
    prompt.type("a\t1 s\t")
    prompt.until("add 1 sha")
    prompt.type("\t")
    assert "sha384" in prompt.until(PROMPT + "key add 1 sha")
    prompt.type("2\tl\tsecret-f\t")
    prompt.until("256 linux secret-file ")


def test_completion_of_file_names(prompt, tmp_path):
    (tmp_path / "keys.old").write_text("")
    (tmp_path / "keys.new").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").write_text("")
    prompt.type("key load k\t")
    prompt.until("key load keys.")
    prompt.type("n\t")
    prompt.until("new ")
    prompt.type("\x03key load f\t")
    prompt.until("folder/")
    prompt.type("\t")
    prompt.until("inner ")


def test_help_as_one_types(prompt):
    prompt.type("?")
    listed = prompt.until("\n" + PROMPT)
    assert "start             Forward packets" in listed
    prompt.type("port ?")
    assert "<N: a port number>" in prompt.until("\n" + PROMPT + "port ")
    prompt.type("0 insert ?")
    listed = prompt.until("\n" + PROMPT + "port 0 insert ")
    assert "key               Insert an HMAC TLV" in listed and "off" in listed
    prompt.type("off ?")
    assert "<the end of the line>" in prompt.until("\n" + PROMPT + "port 0 insert off ")


def test_history(prompt, gateway):
    say(prompt, "show sids")
    say(prompt, "show version")
    prompt.type("\x1b[A\x1b[A\r")
    prompt.until("no sids")
    prompt.until(PROMPT)
    prompt.type("\x1b[A\x1b[B\x10\r")
    prompt.until("no sids")
    assert gateway.methods() == ["sid.list", "version", "sid.list", "sid.list"]


def test_editing(prompt, gateway):
    prompt.type("x show sidsx\x7f\x01\x04\x04\r")
    prompt.until("no sids")
    prompt.until(PROMPT)
    prompt.type("this is forgotten\x03show version\r")
    prompt.until("DPDK 0")
    assert gateway.methods() == ["sid.list", "version"]


def test_lines_too_long_are_not_run_cut_off(prompt, gateway):
    line = "sid add fc00::/16" + " " * 583 + "# end"
    assert len(line) > 600
    prompt.type(line + "\r")
    assert "line of more than 511 octets" in prompt.until("octets\n")
    prompt.until(PROMPT)
    assert gateway.requests == []
    # One that was given up leaves nothing behind.
    prompt.type("x" * 700 + "\x03")
    prompt.until(PROMPT)
    assert "no sids" in say(prompt, "show sids")


def test_junk(prompt):
    junk = bytes(c for c in range(256) if c not in b"\x03\x04\t\n\r?")
    prompt.type(junk * 2 + b"\x03")
    prompt.until(PROMPT)
    prompt.type(b"\0\xff\xfe\x80show \x00si\xffds\r")
    prompt.until("no sids")
    prompt.until(PROMPT)
    assert say(prompt, "show version").startswith("segseal")


def test_secret_is_not_echoed(prompt, gateway):
    prompt.type("key add 0x10 sha256 linux\r")
    prompt.until("Secret of key 16: ")
    assert not prompt.echoes()
    prompt.type("hunter2\r")
    shown = prompt.until(PROMPT)
    assert "hunter2" not in shown
    assert gateway.secrets == {16: b"hunter2"}
    # The history does not know it either.
    prompt.type("\x1b[A")
    prompt.until("key add 0x10 sha256 linux")


def test_pasted_secret_goes_to_its_command(prompt, gateway):
    """Typed ahead of the question: thrown away or taken as the secret, but never run as a command."""
    prompt.type("key add 1 sha256 linux\rhunter2\r")
    shown = prompt.until("Secret of key 1: ")
    end = time.monotonic() + 2
    while not gateway.secrets and time.monotonic() < end:
        time.sleep(0.01)
    if not gateway.secrets:
        prompt.type("hunter2\r")
    shown += prompt.until(PROMPT)
    assert "unknown command" not in shown
    assert gateway.secrets == {1: b"hunter2"}


def test_interrupted_secret(start, gateway):
    terminal = start()
    before = terminal.at_first
    terminal.until(PROMPT)
    terminal.type("key add 1 sha256 linux\r")
    terminal.until("Secret of key 1: ")
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.wait() == -signal.SIGTERM
    assert terminal.line_mode() == before
    assert gateway.requests == []


def test_one_shot_asks_at_the_terminal(start, gateway):
    terminal = start("key", "add", "9", "sha1", "linux")
    before = terminal.at_first
    terminal.until("Secret of key 9: ")
    assert not terminal.echoes()
    terminal.type("hunter2\n")
    assert terminal.wait() == 0
    assert "hunter2" not in terminal.plain()
    assert terminal.line_mode() == before
    assert gateway.secrets == {9: b"hunter2"}


def test_one_shot_interrupted(start, gateway):
    terminal = start("key", "add", "9", "sha1", "linux")
    before = terminal.at_first
    terminal.until("Secret of key 9: ")
    terminal.type("hunt\x03")
    assert terminal.wait() == -signal.SIGINT
    assert terminal.line_mode() == before
    assert gateway.requests == []


def test_stop_at_the_first_error(start, gateway):
    terminal = start("-e")
    terminal.until(PROMPT)
    assert "no sids" in say(terminal, "show sids")
    terminal.type("key del 7\r")
    assert terminal.wait() == 1
    assert "key del: no key 7" in terminal.plain()


def test_gateway_that_comes_back(build, start, tmp_path):
    with FakeGateway(tmp_path / "socket"):
        terminal = start()
        terminal.until(PROMPT)
        assert "no sids" in say(terminal, "show sids")
    (tmp_path / "socket").unlink()
    with FakeGateway(tmp_path / "socket") as second:
        # The first connection still ends at the old gateway's thread, or is gone: either way the
        # prompt stays, and finds the new one sooner or later.
        for _ in range(3):
            say(terminal, "show version")
        assert second is not None
    terminal.type("exit\r")
    assert terminal.wait() == 0


def test_stopped_while_a_secret_is_asked_for(start, gateway):
    """Ctrl-Z: the terminal is given back, and the question comes again."""
    terminal = start("key", "add", "9", "sha1", "linux")
    terminal.until("Secret of key 9: ")
    terminal.type("hunt\x1a")
    terminal.until("Secret of key 9: ")  # a session's leader cannot be stopped
    terminal.type("hunter2\n")
    assert terminal.wait() == 0
    assert gateway.secrets == {9: b"hunter2"}


def test_rates_since_the_last_look(prompt, gateway):
    assert "pps" not in say(prompt, "show stats")
    assert "pps  packets received" in say(prompt, "show stats")
    # Not of counters that began anew meanwhile, by us or by others.
    say(prompt, "clear stats")
    assert "pps" not in say(prompt, "show stats")
    assert "pps  packets received" in say(prompt, "show stats")
    gateway.rx = 0
    assert "pps" not in say(prompt, "show stats")
    assert "pps  packets received" in say(prompt, "show stats")
    say(prompt, "show port stats all")
    assert "bit/s  octets received" in say(prompt, "show port stats all")


@pytest.mark.parametrize("key", ["x", "\x1b[A", "\x03"])
def test_watch(prompt, gateway, key):
    prompt.type("show stats watch\r")
    prompt.until("any key ends this")
    shown = prompt.until("any key ends this")
    assert "pps  packets received" in shown and "rates over the last" in shown
    prompt.type(key)
    prompt.until(PROMPT)
    assert "no sids" in say(prompt, "show sids")


def test_watch_from_the_shell(start, gateway):
    terminal = start("show", "stats", "watch")
    before = terminal.at_first
    terminal.until("any key ends this")
    assert not terminal.echoes()
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.wait() == -signal.SIGTERM
    assert terminal.line_mode() == before


def test_watch_ends_with_the_gateway(start, gateway):
    terminal = start("show", "stats", "watch")
    terminal.until("any key ends this")
    gateway.hang_up = True
    assert terminal.wait() == 1
    assert "show stats watch: " in terminal.plain()
    assert terminal.echoes()
