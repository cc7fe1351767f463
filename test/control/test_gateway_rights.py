# SPDX-License-Identifier: BSD-3-Clause
"""Who may change things: asked by real processes of other users and groups."""

import grp
import json
import os
import stat
import subprocess

import pytest

from control.live import SINK, Gateway

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="takes root to be somebody else")

GROUP = grp.getgrnam("games")
NOBODY = 65534
READS = ["key.list", "port.list", "sid.list", "stats.get", "version"]
ADD = {"id": 5, "algorithm": "sha1", "profile": "linux", "secret": "SSSSSSSS"}
WRITES = [
    ("key.add", ADD),
    ("key.set", {**ADD, "sekret": "SSSSSSSS"}),
    ("key.del", {"id": 5}),
    ("key.rotate", {"old": 1, "new": 5}),
    ("key.show-secret", {"id": 5}),
    ("key.window", {"id": 5, "send": {"to": "+0s"}}),
    ("port.set", {"port": 0, "verify": "off"}),
    ("stats.clear", {}),
    ("stop", {}),
    ("quit", {}),
]
ASK = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
for line in sys.stdin:
    s.sendall(line.encode())
    print(s.makefile().readline(), end="", flush=True)
"""


def ask(gateway, calls, *who):
    """The answers that a process of this setpriv gets."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"
        for method, params in calls
    ]
    words = ["setpriv", *who, "/usr/bin/python3", "-c", ASK, gateway.socket]
    done = subprocess.run(words, input="".join(lines), capture_output=True, text=True, timeout=60)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def start(build, tmp_path, group):
    options = ["--group", GROUP.gr_name] if group else []
    return Gateway(build, tmp_path, ["net_null0", SINK], options=options)


def test_others_may_look_and_not_touch(build, tmp_path):
    with start(build, tmp_path, False) as gateway:
        os.chmod(gateway.runtime, 0o755)
        os.chmod(gateway.socket, 0o666)
        who = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        _, answers = ask(gateway, [(name, {}) for name in READS], *who)
        assert len(answers) == len(READS) and all("result" in answer for answer in answers)
        _, answers = ask(gateway, WRITES, *who)
        assert len(answers) == len(WRITES)
        for answer in answers:
            assert answer["error"]["code"] == -32000
            assert answer["error"]["data"] == {"errno": "EPERM"}
        assert gateway.call("key.list")["keys"] == []
        line = gateway.said("key.add")
        assert f"uid {NOBODY} pid " in line and "refused" in line
        assert "SSSS" not in gateway.log() + str(answers)


@pytest.mark.parametrize(
    "groups",
    [
        [f"--regid={NOBODY}", f"--groups={GROUP.gr_gid}"],
        [f"--regid={GROUP.gr_gid}", "--clear-groups"],
        [f"--regid={NOBODY}", "--groups=" + ",".join(map(str, [*range(2000, 2100), GROUP.gr_gid]))],
    ],
    ids=["supplementary", "primary", "one-of-many"],
)
def test_members_may(build, tmp_path, groups):
    with start(build, tmp_path, True) as gateway:
        os.chmod(gateway.runtime, 0o755)
        socket = os.stat(gateway.socket)
        assert (socket.st_gid, stat.S_IMODE(socket.st_mode)) == (GROUP.gr_gid, 0o660)
        _, answers = ask(gateway, [("key.add", ADD)], f"--reuid={NOBODY}", *groups)
        assert answers[0]["result"]["id"] == 5
        assert f"uid {NOBODY} pid " in gateway.said("key.add") and "SSSS" not in gateway.log()
        # Others do not even reach it.
        done, _ = ask(gateway, [], f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        assert "PermissionError" in done.stderr


def test_no_such_group(build, tmp_path):
    gateway = Gateway(build, tmp_path, ["net_null0", SINK], options=["--group", "no-such-group"])
    gateway.launch()
    try:
        assert gateway.wait(60) == 2
    finally:
        gateway.end()
    assert "no group 'no-such-group'" in gateway.log()
