# SPDX-License-Identifier: BSD-3-Clause
"""Keys that come, change and go while packets flow."""

import time

from live.gateway import NOWHERE, loop, since
from oracle import build, edit, gateway, mac
from pcap.case import path

KEY = mac.Key(1001, "sha256", mac.LINUX, b"secret-key-one")
OTHER = mac.Key(1002, "sha512", mac.RFC8754, b"secret-key-two")
FRAMES = [edit.seal(KEY, build.routed(path(count))) for count in range(1, 11)]
REQUIRE = gateway.Config(verify=gateway.REQUIRE)


def words(verb, key):
    return f"key {verb} {key.id} {key.algorithm} {key.profile}"


def drops(stats):
    return {name for name, n in stats["drops"].items() if n}


def counted(running):
    running.ctl("stop")
    stats = running.stats()
    running.ctl("start")
    assert stats["rx"] == stats["tx"] + sum(stats["drops"].values())
    return stats


def test_add_and_delete(start):
    with start(REQUIRE, FRAMES, [loop("in.pcap"), NOWHERE]) as running:
        for _ in range(10):
            running.ctl(words("add", KEY), KEY.secret.decode())
            before = running.stats()
            time.sleep(0.05)
            assert since(before, running.stats())["verified"] > 0

            running.ctl(f"key del {KEY.id}")
            deleted = running.stats()
            time.sleep(0.05)
            change = since(deleted, running.stats())
            assert change["verified"] == change["tx"] == 0, "accepted after key del had answered"
            assert change["drops"]["key_unknown"] > 0
        assert drops(counted(running)) == {"key_unknown"}
        assert running.quit() == 0


def test_replace_is_never_seen(start):
    """A key replaced by itself: no packet finds none, or half of one."""
    with start(REQUIRE, FRAMES, [loop("in.pcap"), NOWHERE]) as running:
        running.ctl("stop")
        running.ctl(words("add", KEY), KEY.secret.decode())
        running.ctl("clear stats")
        running.ctl("start")
        for _ in range(200):
            running.ctl(words("set", KEY), KEY.secret.decode())
        stats = counted(running)
        assert stats["verified"] == stats["rx"] == stats["tx"] > 0
        assert drops(stats) == set()
        assert running.quit() == 0


def test_replace_takes_effect(start):
    """The old key's HMACs, which workers have proved and remember, are not accepted any more."""
    with start(REQUIRE, FRAMES, [loop("in.pcap"), NOWHERE]) as running:
        running.ctl(words("add", KEY), KEY.secret.decode())
        time.sleep(0.1)
        for secret, good in (("another", False), (KEY.secret.decode(), True), ("other", False)):
            running.ctl(words("set", KEY), secret)
            time.sleep(0.1)
            before = running.stats()
            time.sleep(0.05)
            change = since(before, running.stats())
            assert (change["verified"] > 0) == good
            assert drops(change) == (set() if good else {"hmac_mismatch"})
        assert running.quit() == 0


def test_many_keys_come_and_go(start, tmp_path):
    """Tables of other keys loaded whole; the one in use stays as it is throughout."""
    with start(REQUIRE, FRAMES, [loop("in.pcap"), NOWHERE]) as running:
        running.ctl("stop")
        running.ctl(words("add", KEY), KEY.secret.decode())
        running.ctl("clear stats")
        running.ctl("start")
        for count in (1, 500, 3, 2000, 0):
            lines = [f"{KEY.id} {KEY.algorithm} {KEY.profile} text:{KEY.secret.decode()}"]
            lines += [f"{n} sha256 rfc8754 text:number {n}" for n in range(5000, 5000 + count)]
            (tmp_path / "table").write_text("\n".join(lines) + "\n")
            (tmp_path / "table").chmod(0o600)
            running.ctl(f"key load {tmp_path}/table")
        stats = counted(running)
        assert stats["verified"] == stats["rx"] == stats["tx"] > 0
        assert running.quit() == 0


def test_insert_key_changes(start):
    """Sealing goes on while its key is replaced, and stops, fail closed, when it is deleted."""
    plain = [build.routed(path(count)) for count in range(1, 11)]
    with start(gateway.Config(insert=OTHER.id), plain, [loop("in.pcap"), NOWHERE]) as running:
        time.sleep(0.1)
        stats = running.stats()
        assert stats["tx"] == 0 and drops(stats) == {"insert_key_unknown"}
        running.ctl(words("add", OTHER), OTHER.secret.decode())
        before = running.stats()
        for number in range(50):
            running.ctl(words("set", OTHER), f"secret {number}")
        change = since(before, running.stats())
        assert change["inserted"] > 0 and drops(change) == set()
        running.ctl(f"key del {OTHER.id}")
        before = running.stats()
        time.sleep(0.05)
        change = since(before, running.stats())
        assert change["tx"] == 0 and drops(change) == {"insert_key_unknown"}
        assert running.quit() == 0
