# SPDX-License-Identifier: BSD-3-Clause
"""segsealctl with one command, and with files of them."""

import json
import shutil
import subprocess

import pytest

from control.fake_gateway import FakeGateway
from control.live import TOP


@pytest.fixture
def gateway(tmp_path):
    with FakeGateway(tmp_path / "socket") as fake:
        yield fake


@pytest.fixture
def ctl(build, tmp_path):
    """ctl(word, ..., stdin="text"): what became of segsealctl."""

    def run(*words, stdin="", cwd=None):
        return subprocess.run(
            [str(build / "app" / "segsealctl"), "-s", str(tmp_path / "socket"), *words],
            input=stdin if isinstance(stdin, bytes) else stdin.encode(),
            capture_output=True,
            timeout=60,
            check=False,
            cwd=cwd or tmp_path,
            start_new_session=True,
        )

    return run


def failed(done, status, message):
    assert done.returncode == status, done
    assert done.stdout == b""
    assert done.stderr.decode() == f"segsealctl: {message}\n"


def test_one_command(ctl, gateway, tmp_path):
    (tmp_path / "secret").write_text("secret-key-one\n")
    done = ctl("key", "add", "1001", "sha256", "linux", "secret-file", "secret")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert gateway.secrets == {1001: b"secret-key-one"}
    done = ctl("show", "keys", "json")
    assert done.returncode == 0 and done.stderr == b""
    assert json.loads(done.stdout)["keys"][0]["id"] == 1001
    done = ctl("show keys")
    assert b"1001  sha256     linux" in done.stdout
    assert ctl("key", "del", "0x3e9").returncode == 0
    assert gateway.keys == {}


def test_words_with_blanks(ctl, gateway, tmp_path):
    name = """it's a "secret" #1 \\"""
    (tmp_path / name).write_bytes(b"\0\xff\n\n")
    assert ctl("key", "add", "1", "sha1", "rfc8754", "secret-file", name).returncode == 0
    assert gateway.secrets == {1: b"\0\xff\n"}
    failed(ctl("key", "load", "a b"), 2, f"key load: {tmp_path}/a b:3: unknown algorithm")


def test_errors(ctl, gateway):
    failed(ctl("key", "del", "7"), 1, "key del: no key 7")
    failed(ctl("port", "9", "strip", "on"), 1, "port 9 strip: no port 9")
    failed(ctl("show", "engine"), 2, "show engine: no method engine.get")
    failed(ctl("frob"), 2, "'frob': unknown command, help lists them")
    done = ctl("key", "add", "1", "sha256", "linux", "hunter2")
    assert done.returncode == 2 and b"hunter2" not in done.stderr
    failed(ctl("key", "x" * 600), 2, "key: line of 604 octets, a command has at most 512")
    failed(ctl("key", "x" * 6000), 2, "key: longer than the 512 octets of a command")
    assert gateway.methods() == ["key.del", "port.set", "engine.get"]


def test_usage(ctl, gateway):
    assert b"usage: segsealctl" in ctl("-h").stdout
    assert ctl("--version").stdout.startswith(b"segsealctl 0.")
    for words in (["-z"], ["-f"], ["--nonsense"], ["-f", "x", "show", "keys"]):
        done = ctl(*words)
        assert done.returncode == 2 and done.stdout == b""
    assert gateway.requests == []


def test_nobody_there(ctl, tmp_path):
    path = tmp_path / "socket"
    failed(ctl("start"), 1, f"start: cannot reach segseal at {path}: No such file or directory")
    path.write_text("")
    failed(ctl("start"), 1, f"start: cannot reach segseal at {path}: Connection refused")
    assert b"key add ID" in ctl("help").stdout  # needs nobody


def test_secret_from_standard_input(ctl, gateway):
    assert ctl("key", "set", "5", "sha256", "linux", stdin="from stdin\n").returncode == 0
    assert gateway.secrets == {5: b"from stdin"}
    failed(
        ctl("key", "set", "5", "sha256", "linux"),
        1,
        "key set: no secret: standard input is at its end",
    )
    failed(
        ctl("key", "set", "5", "sha256", "linux", stdin="s" * 65 + "\n"),
        2,
        "key set: standard input: the secret is longer than 64 octets",
    )
    assert gateway.secrets == {5: b"from stdin"}


def test_file(ctl, gateway, tmp_path):
    (tmp_path / "cmds").write_text("# first\nsid add fc00::/16\n\nfrob\nport 1 verify require\n")
    done = ctl("-f", "cmds")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "cmds:4: 'frob': unknown command, help lists them",
        "segsealctl: cmds: 1 commands failed",
    ]
    assert gateway.ports[1]["verify"] == "require"


def test_file_up_to_the_first_error(ctl, gateway, tmp_path):
    (tmp_path / "cmds").write_text("sid add fc00::/16\nkey del 9\nport 1 verify require\n")
    failed(ctl("-e", "-f", "cmds"), 1, "cmds:2: key del: no key 9")
    assert gateway.methods() == ["sid.add", "key.del"]
    failed(ctl("-f", "none"), 1, "none: No such file or directory")


def test_standard_input_is_a_file_of_commands(ctl, gateway):
    lines = "key add 1 sha256 linux\nmy secret\nshow sids\n"
    for words in ([], ["-f", "-"]):
        gateway.keys.clear()
        done = ctl(*words, stdin=lines)
        assert done.returncode == 0 and gateway.secrets[1] == b"my secret"
        assert done.stdout == b"no sids: every SRH is judged\n"


def test_echo(ctl, gateway):
    done = ctl("-x", stdin="# c\nstart\nshow sids json\n")
    assert done.stdout == b'+ start\n+ show sids json\n{"sids": []}\n'.replace(b": ", b":")


def test_junk(ctl, gateway):
    for junk in (b"\0\1\2\n", bytes(range(256)), b"\xff" * 5000, b"'\n\"\n"):
        done = ctl("-e", stdin=junk)
        assert done.returncode == 2
        assert done.stderr.startswith(b"segsealctl: standard input:1: ")
        assert done.stderr.count(b"\n") == 1
    assert gateway.requests == []


def test_exit_and_quit(ctl, gateway):
    assert ctl(stdin="exit\nkey del 1\n").returncode == 0
    assert gateway.requests == []
    assert ctl(stdin="quit\nkey del 1\n").returncode == 0
    assert gateway.methods() == ["quit"]


def test_config_rebuilds_itself(ctl, gateway, tmp_path):
    commands = "sid add fc00::/16\nport 0 verify require\nport 0 strip on\nport 1 insert key 7\nstop\n"
    assert ctl(stdin=commands).returncode == 0
    ctl("key", "add", "7", "sha512", "rfc8754", stdin="x")
    config = ctl("show", "config").stdout
    assert config.splitlines()[0] == b"# key add 7 sha512 rfc8754 secret-file ..."
    before = (list(gateway.sids), [dict(port) for port in gateway.ports])
    assert config.splitlines()[-1] == b"stop"
    gateway.sids.clear()
    gateway.forwarding = True
    gateway.ports = [gateway.new_port(number) for number in range(2)]
    (tmp_path / "config").write_bytes(config)
    assert ctl("-e", "-f", "config").returncode == 0
    assert (gateway.sids, gateway.ports) == before
    assert not gateway.forwarding
    assert ctl("start").returncode == 0
    assert b"stop" not in ctl("show", "config").stdout


def test_output_that_cannot_be_written(build, gateway, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(build / "app" / "segsealctl"), "-s", str(tmp_path / "socket"), "show", "stats"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1 and b"No space left" in done.stderr


def test_save_config(ctl, gateway, tmp_path):
    assert ctl("sid", "add", "fc00::/16").returncode == 0
    assert ctl("save", "config", "saved config").returncode == 0
    assert (tmp_path / "saved config").read_bytes() == ctl("show", "config").stdout
    failed(ctl("save", "config", "/no/such/folder"), 1, "save config: /no/such/folder: No such file or directory")


COMPLETIONS = [
    (["k"], ["key"]),
    (["key", "a"], ["add"]),
    (["key", "add", "1", "sha256", ""], ["linux", "rfc8754"]),
    (["-s", "/run/x", "-e", "sid", ""], ["add", "del"]),
    (["--so"], ["--socket"]),
    (["port", "0", "verify", "i"], ["if-present"]),
    (["frob", ""], []),
]


@pytest.mark.parametrize(("words", "expected"), COMPLETIONS)
def test_bash_completion(build, words, expected):
    """As bash would call it: the words so far, the last one to be completed."""
    program = build / "app" / "segsealctl"
    script = TOP / "app" / "ctl" / "segsealctl.bash"
    array = " ".join(f"'{word}'" for word in [str(program), *words])
    code = f"""
        compopt() {{ :; }}
        source {script}
        COMP_WORDS=({array})
        COMP_CWORD={len(words)}
        _segsealctl {program}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


def test_man_page(build):
    """groff finds nothing to warn of, and each command is there."""
    page = subprocess.run(
        [str(build / "app" / "segsealctl"), "--man"], capture_output=True, check=True
    ).stdout
    if not shutil.which("groff"):
        pytest.skip("no groff")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"], input=page, capture_output=True, check=True
    )
    assert done.stderr == b""
    text = " ".join(done.stdout.decode().split())
    assert "key add ID ALGORITHM PROFILE" in text
    assert "port N verify off|if-present|require" in text.replace("\u2010", "-")
