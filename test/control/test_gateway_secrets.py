# SPDX-License-Identifier: BSD-3-Clause
"""--keep-secrets and key show-secret: who gets a secret back, and where it is found afterwards."""

import grp
import json
import os
import random
import string
import subprocess

import pytest

from control.live import Gateway, run_refused
from control.terminal import Terminal
from replay import write_secret
from segseal_client import SegsealError

QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
KEEP = ["--keep-secrets"]
GROUP = grp.getgrnam("games")
CHUNK = 16 << 20

root = pytest.mark.skipif(os.getuid() != 0, reason="secrets are shown to root alone")


def spec(number, secret):
    return {"id": number, "algorithm": "sha256", "profile": "linux", "secret": secret}


def ctl(build, gateway, *words):
    return subprocess.run(
        [str(build / "app" / "segsealctl"), "-s", gateway.socket, *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def refused(gateway, **params):
    with pytest.raises(SegsealError) as error:
        gateway.call("key.show-secret", **params)
    return error.value


@root
def test_given_back(build, tmp_path):
    octets = bytes(range(64))
    (tmp_path / "octets").write_bytes(octets)
    with Gateway(build, tmp_path, QUIET, options=KEEP) as gateway:
        gateway.call("key.add", **spec(1, " secret # one "))
        add = ["key", "add", "2", "sha512", "rfc8754", "secret-file", str(tmp_path / "octets")]
        assert ctl(build, gateway, *add).returncode == 0
        assert gateway.call("key.show-secret", id=2) == {"id": 2, "secret_hex": octets.hex()}
        # What is printed is what a key file wants.
        for number, line in ((1, b"text: secret # one \n"), (2, f"hex:{octets.hex()}\n".encode())):
            done = ctl(build, gateway, "key", "show-secret", str(number))
            assert (done.returncode, done.stdout, done.stderr) == (0, line, b"")
        done = ctl(build, gateway, "key", "show-secret", "2", "json")
        assert json.loads(done.stdout) == {"id": 2, "secret_hex": octets.hex()}
        with Terminal([build / "app" / "segsealctl", "-s", gateway.socket]) as prompt:
            prompt.until("segseal> ")
            prompt.type("key show-secret 1\r")
            prompt.until("text: secret # one \n")
            prompt.until("segseal> ")
        line = gateway.said("key.show-secret")
        assert f"uid 0 pid {os.getpid()}: key.show-secret {{" in line  # who looked is noted
        assert "secret # one" not in gateway.log() and octets.hex()[:20] not in gateway.log()
        assert refused(gateway, id=3).errno_name == "ENOENT"
        for wrong in ({}, {"id": 0}, {"id": "1"}, {"id": 1, "hex": True}):
            assert refused(gateway, **wrong).code == -32602


@root
def test_replaced_and_loaded(build, tmp_path):
    keys = tmp_path / "keys"
    with Gateway(build, tmp_path, QUIET, options=KEEP) as gateway:
        gateway.call("key.add", **spec(1, "old"))
        gateway.call("key.set", **spec(1, "new"))
        assert gateway.call("key.show-secret", id=1)["secret_hex"] == b"new".hex()
        write_secret(keys, "1 sha256 linux text:new\n2 sha1 linux hex:00ff\n")
        gateway.call("key.load", path=str(keys))
        assert gateway.call("key.show-secret", id=1)["secret_hex"] == b"new".hex()
        assert gateway.call("key.show-secret", id=2)["secret_hex"] == "00ff"
        write_secret(keys, "2 sha1 linux hex:00fe\n")
        gateway.call("key.load", path=str(keys))
        assert gateway.call("key.show-secret", id=2)["secret_hex"] == "00fe"
        assert refused(gateway, id=1).errno_name == "ENOENT"


@root
def test_not_kept(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        gateway.call("key.add", **spec(1, "one"))
        error = refused(gateway, id=1)
        assert error.errno_name == "ENOTSUP"
        why = "secrets are not kept: segseal was started without --keep-secrets"
        assert str(error) == f"key.show-secret: {why}"
        done = ctl(build, gateway, "key", "show-secret", "1")
        assert done.returncode == 1 and done.stdout == b""
        assert done.stderr.decode() == f"segsealctl: key show-secret: {why}\n"


@root
def test_members_of_the_group_may_not(build, tmp_path):
    with Gateway(build, tmp_path, QUIET, options=[*KEEP, "--group", GROUP.gr_name]) as gateway:
        os.chmod(gateway.runtime, 0o755)
        gateway.call("key.add", **spec(1, "SSSSSSSS"))
        code = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            's.sendall(b\'{"jsonrpc":"2.0","id":1,"method":"key.show-secret","params":{"id":1}}\\n\');'
            "print(s.makefile().readline())"
        )
        who = ["setpriv", "--reuid=65534", f"--regid={GROUP.gr_gid}", "--clear-groups"]
        done = subprocess.run(
            [*who, "/usr/bin/python3", "-c", code, gateway.socket],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        error = json.loads(done.stdout)["error"]
        assert error["data"] == {"errno": "EPERM"}
        assert error["message"] == "key.show-secret: not permitted: needs root"
        assert "uid 65534 pid " in gateway.said("key.show-secret")
        assert "SSSSSSSS" not in gateway.log()


def test_configuration_file_prints_none(build, tmp_path):
    """Its output goes where the log goes."""
    write_secret(tmp_path / "keys", "1 sha256 linux text:SSSSSSSS\n")
    config = f"key load {tmp_path}/keys\nkey show-secret 1\n"
    status, log = run_refused(build, tmp_path, QUIET, config=config, options=KEEP)
    assert status == 2 and ":2: key show-secret: not " in log
    assert all("SSSSSSSS" not in out.read_text() for out in tmp_path.glob("out*"))


def searchable(pid):
    """[(start, end)] of all that the process may write to; None in a sanitizer build."""
    regions = []
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps:
        for line in maps:
            if "libasan" in line:
                return None
            place, mode = line.split()[:2]
            if mode.startswith("rw") and not line.rstrip().endswith("]") or "[heap]" in line:
                regions.append(tuple(int(word, 16) for word in place.split("-")))
            elif "[stack" in line or "[anon" in line:
                regions.append(tuple(int(word, 16) for word in place.split("-")))
    return regions


def found(pid, *texts):
    """Which of these octets are in the process's memory."""
    seen = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end in searchable(pid):
            for at in range(start, end, CHUNK):
                memory.seek(at)
                try:
                    octets = memory.read(min(CHUNK + 128, end - at))
                except OSError:  # a device's
                    break
                seen.update(text for text in texts if text in octets)
    return seen


@root
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "not-kept"])
def test_memory(build, tmp_path, kept):
    secrets = ["".join(random.sample(string.ascii_letters, 32)).encode() for _ in range(3)]
    # Half of it would be too much already.
    texts = [secret[:16] for secret in secrets]
    hexes = [text.hex().encode() for text in texts]
    with Gateway(build, tmp_path, QUIET, options=KEEP if kept else []) as gateway:
        if searchable(gateway.process.pid) is None:
            pytest.skip("the sanitizer's memory is too large to search")
        for number, secret in enumerate(secrets, 1):
            gateway.call("key.add", **spec(number, secret.decode()))
            if kept:
                gateway.call("key.show-secret", id=number)
        if kept:
            done = ctl(build, gateway, "key", "show-secret", "1")
            assert done.stdout == b"text:" + secrets[0] + b"\n"
        assert found(gateway.process.pid, *texts, *hexes) == (set(texts) if kept else set())
        gateway.call("key.del", id=1)
        gateway.call("key.set", **spec(2, "another"))
        assert found(gateway.process.pid, *texts, *hexes) == ({texts[2]} if kept else set())
        write_secret(tmp_path / "keys", "")
        gateway.call("key.load", path=str(tmp_path / "keys"))
        assert found(gateway.process.pid, *texts, *hexes) == set()


@root
def test_memory_of_a_gateway_with_a_prompt(build, tmp_path):
    """Here the client that asks, and prints what it gets, is in the same process."""
    secret = "".join(random.sample(string.ascii_letters, 32))
    texts = [secret[:16].encode(), secret[:16].encode().hex().encode()]
    gateway = Gateway(build, tmp_path, QUIET, options=[*KEEP, "-i"])
    words = ["env", f"RUNTIME_DIRECTORY={gateway.runtime}", *gateway.words]
    try:
        with Terminal(words, cwd=tmp_path) as terminal:
            terminal.until("segseal> ")
            if searchable(terminal.pid) is None:
                pytest.skip("the sanitizer's memory is too large to search")
            terminal.type("key add 1 sha256 linux\r")
            terminal.until("Secret of key 1: ")
            terminal.type(secret + "\r")
            terminal.until("segseal> ")
            for command, shown in (("", f"text:{secret}\n"), (" json", secret.encode().hex())):
                terminal.type(f"key show-secret 1{command}\r")
                terminal.until(shown)
                terminal.until("segseal> ")
            assert found(terminal.pid, *texts) == {texts[0]}
            terminal.type("key del 1\r")
            terminal.until("key del 1\n")
            terminal.until("segseal> ")
            assert found(terminal.pid, *texts) == set()
            terminal.type("quit\r")
            assert terminal.wait() == 0
    finally:
        gateway.end()
