# SPDX-License-Identifier: BSD-3-Clause
"""Keys that come of age, rotate and expire while packets flow through workers."""

import os
import subprocess
import time
from datetime import datetime, timezone

import pytest

from control.live import SINK, Gateway, balanced, dropped, looped, settled
from control.test_gateway_keys import FOLDER, KEY, REQUIRE, SEALED, SECRET, more, spec, write_keys
from segseal_client import SegsealError

CAPTURE = looped(FOLDER / f"{SEALED.name}.pcap")


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def key(gateway, number):
    return gateway.call("key.list", id=number)["keys"][0]


def at(instant):
    time.sleep(max(0.0, instant - time.time()))


@pytest.fixture
def gateway(build, tmp_path):
    with Gateway(build, tmp_path, [CAPTURE, SINK], config=REQUIRE) as running:
        yield running


@pytest.fixture
def inserting(build, tmp_path):
    with Gateway(build, tmp_path, [CAPTURE, SINK], config=REQUIRE) as running:
        running.call("key.add", **spec())
        running.call("key.add", **spec(number=7, secret="seven"))
        running.call("port.set", port=0, strip=True, insert=7)
        settled(lambda: running.stats()["inserted"], lambda n: n > 1000)
        yield running


def test_accept_window_opens_and_closes(gateway):
    """Under load, each packet is judged by the second that it is."""
    begin = int(time.time()) + 2
    gateway.call("key.add", accept={"from": iso(begin), "to": iso(begin + 2)}, **spec())
    listed = key(gateway, KEY.id)
    assert listed["accept"] == {"from": iso(begin), "to": iso(begin + 2)}
    assert listed["send"] == {"from": None, "to": None}
    at(begin - 0.3)
    early = gateway.stats()
    assert early["verified"] == 0 and set(dropped(early)) == {"key_unknown"}
    assert time.time() < begin
    at(begin + 0.3)
    first = gateway.stats()
    at(begin + 0.6)
    second = gateway.stats()
    assert first["verified"] > 0
    # In between all were accepted, none otherwise judged.
    assert second["verified"] - first["verified"] == second["rx"] - first["rx"] > 0
    assert second["drops"] == first["drops"]
    at(begin + 1.7)
    assert gateway.stats()["drops"] == first["drops"]
    assert time.time() < begin + 2
    at(begin + 2.3)
    late = gateway.stats()
    at(begin + 2.6)
    later = gateway.stats()
    assert later["verified"] == late["verified"]
    assert later["drops"]["key_unknown"] - late["drops"]["key_unknown"] == later["rx"] - late["rx"]
    for stats in (early, first, second, late, later):
        assert balanced(stats)
        assert set(dropped(stats)) <= {"key_unknown"}
    listed = key(gateway, KEY.id)
    assert listed["verified"] == later["verified"] and listed["failed"] == 0


def test_states(gateway):
    begin = int(time.time()) + 2
    gateway.call(
        "key.add",
        accept={"from": iso(begin), "to": iso(begin + 3)},
        send={"from": iso(begin + 1), "to": iso(begin + 2)},
        **spec(),
    )
    for second, state in enumerate(["accepting", "sending", "accepting", "expired"], begin):
        if second == begin:
            assert key(gateway, KEY.id)["state"] == "future" and time.time() < begin
        at(second + 0.2)
        assert key(gateway, KEY.id)["state"] == state and time.time() < second + 1
    gateway.said(f"key {KEY.id}: accepting")
    gateway.said(f"key {KEY.id}: sending")
    gateway.said(f"key {KEY.id}: expired")


def test_send_window_closes(inserting):
    end = int(time.time()) + 2
    inserting.call("key.set", send={"to": iso(end)}, **spec(number=7, secret="seven"))
    inserting.call("stats.clear")
    at(end - 0.3)
    before = inserting.stats()
    assert dropped(before) == {} and before["inserted"] == before["tx"] and time.time() < end
    at(end + 0.3)
    first = inserting.stats()
    settled(lambda: inserting.stats()["rx"], lambda n: n > first["rx"] + 1000)
    second = inserting.stats()
    assert second["inserted"] == first["inserted"] and second["tx"] == first["tx"]
    assert set(dropped(second)) == {"insert_key_unknown"}
    assert balanced(before) and balanced(first) and balanced(second)
    assert key(inserting, 7)["inserted"] >= first["inserted"]


def test_windows_change_alone(inserting):
    """No secret is given again, counters go on, and the answer is a promise."""
    both = {"from": None, "to": None}
    inserting.call("stats.clear")
    listener = inserting.connect()
    listener.call("events.subscribe", events=["key"])
    answer = inserting.call("key.window", id=7, send={"to": iso(time.time() - 5)})
    assert answer == {"id": 7, "state": "accepting"}
    told = listener.event()
    assert (told["event"], told["key"], told["state"]) == ("key", 7, "accepting")
    inserting.said("key 7: accepting")
    first = inserting.stats()  # nothing is sealed from the answer on
    settled(lambda: inserting.stats()["rx"], lambda n: n > first["rx"] + 1000)
    second = inserting.stats()
    assert second["inserted"] == first["inserted"] and second["tx"] == first["tx"]
    assert set(dropped(second)) == {"insert_key_unknown"} and balanced(second)
    assert key(inserting, 7)["accept"] == both  # as it was
    assert key(inserting, 7)["inserted"] >= second["inserted"]
    assert inserting.call("key.window", id=7, send=None) == {"id": 7, "state": "sending"}
    settled(lambda: inserting.stats()["inserted"], lambda n: n > second["inserted"] + 1000)

    inserting.call("key.window", id=KEY.id, accept={"to": iso(time.time() - 5)})
    third = inserting.stats()
    settled(lambda: inserting.stats()["rx"], lambda n: n > third["rx"] + 1000)
    assert inserting.stats()["verified"] == third["verified"]
    begin = int(time.time()) + 2
    inserting.call("key.window", id=KEY.id, accept={"from": iso(begin)}, send=None)
    assert key(inserting, KEY.id)["accept"] == {"from": iso(begin), "to": None}
    settled(lambda: inserting.stats()["verified"], lambda n: n > third["verified"])
    assert time.time() >= begin  # the timer knows of it


def test_windows_refused(inserting):
    before = key(inserting, 7)
    for params, code in [
        ({"id": 6, "accept": None}, -32000),
        ({"id": 7}, -32602),
        ({"id": 7, "accept": {"from": "+2s", "to": "+1s"}}, -32602),
        ({"id": 7, "send": None, "accept": ".."}, -32602),
        ({"id": 7, "send": None, "secret": "SSSS"}, -32602),
    ]:
        with pytest.raises(SegsealError) as refused:
            inserting.call("key.window", **params)
        assert refused.value.code == code
    after = key(inserting, 7)
    assert (before["accept"], before["send"]) == (after["accept"], after["send"])


def test_rotate(inserting):
    inserting.call("key.add", **spec(number=8, algorithm="sha1", profile="rfc8754", secret="8"))
    inserting.call("port.set", port=1, insert=7)
    inserting.call("stats.clear")
    assert inserting.call("key.rotate", old=7, new=8) == {"ports": [0, 1]}
    old = key(inserting, 7)["inserted"]  # nothing leaves with it from the answer on
    settled(lambda: key(inserting, 8)["inserted"], lambda n: n > 1000)
    assert key(inserting, 7)["inserted"] == old
    stats = inserting.stats()
    assert dropped(stats) == {} and stats["inserted"] == stats["rx"] == stats["tx"]
    assert [port["insert"] for port in inserting.call("port.list")["ports"]] == [8, 8]


def test_rotate_there_and_back(inserting):
    inserting.call("key.add", **spec(number=8, secret="8"))
    inserting.call("stats.clear")
    for _ in range(50):
        inserting.call("key.rotate", old=7, new=8)
        inserting.call("key.rotate", old=8, new=7)
    stats = inserting.stats()
    assert dropped(stats) == {} and stats["inserted"] == stats["rx"] > 0


def test_rotate_refused(inserting):
    inserting.call("key.add", send={"to": iso(time.time() - 5)}, **spec(number=8))
    inserting.call("key.add", send={"from": "+1h"}, **spec(number=9))
    for old, new, name in [
        (7, 10, "ENOENT"),
        (7, 8, "EKEYREJECTED"),
        (7, 9, "EKEYREJECTED"),
        (6, 7, "ENOENT"),
    ]:
        with pytest.raises(SegsealError) as refused:
            inserting.call("key.rotate", old=old, new=new)
        assert refused.value.errno_name == name
        assert inserting.call("port.list", port=0)["ports"][0]["insert"] == 7
    for wrong in ({"old": 7}, {"new": 7}, {"old": 7, "new": 0}, {"old": 7, "new": 7, "x": 1}):
        with pytest.raises(SegsealError) as refused:
            inserting.call("key.rotate", **wrong)
        assert refused.value.code == -32602


@pytest.mark.parametrize(
    "window",
    [
        {"from": "+2s", "to": "+1s"},
        {"from": "2026-12-01"},
        {"to": 5},
        {"until": "+1s"},
        "..",
        [],
    ],
)
@pytest.mark.parametrize("name", ["accept", "send"])
def test_wrong_windows(gateway, name, window):
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.add", **{name: window}, **spec())
    assert refused.value.code == -32602 and f"{name}: " in str(refused.value)
    assert gateway.call("key.list")["keys"] == []


def test_many_keys_flip_at_once(gateway, tmp_path):
    """Tens of thousands in one second: forwarding goes on, and all are as they should be."""
    end = int(time.time()) + 4
    lines = [f"{n} sha1 linux accept=..{iso(end)} text:s{n}\n" for n in range(10000, 40000)]
    path = tmp_path / "keys"
    write_keys(path, f"{KEY.id} sha256 linux text:{SECRET}\n" + "".join(lines))
    gateway.call("key.load", path=str(path))
    more(gateway, "verified", 1000)
    gateway.call("stats.clear")
    at(end + 0.4)
    assert key(gateway, 39999)["state"] == "sending"  # send is always open, accept is over
    stats = gateway.stats()
    assert dropped(stats) == {} and stats["verified"] == stats["rx"] > 0


def test_saved_config_has_windows(build, gateway, tmp_path):
    gateway.call("key.add", accept={"to": "2030-01-01T00:00:00Z"}, **spec())
    secret = tmp_path / "secret"
    write_keys(secret, "another")
    ctl = [str(build / "app" / "segsealctl"), "--socket", gateway.socket]
    words = f"key add 9 sha1 rfc8754 accept +1s..+1h send ..2029-06-01T00:00:00Z secret-file {secret}"
    subprocess.run([*ctl, *words.split()], check=True)
    said = subprocess.run([*ctl, "show", "config"], check=True, capture_output=True, text=True)
    assert "# key add 9 sha1 rfc8754 accept 2" in said.stdout
    assert " send ..2029-06-01T00:00:00Z secret-file ..." in said.stdout
    assert f"key add {KEY.id} sha256 linux accept ..2030-01-01T00:00:00Z secret" in said.stdout
    table = subprocess.run([*ctl, "show", "keys"], check=True, capture_output=True, text=True)
    assert "..2030-01-01T00:00:00Z" in table.stdout and "sending" in table.stdout
    cmdline = open(f"/proc/{gateway.process.pid}/cmdline").read()
    everything = said.stdout + table.stdout + gateway.log() + cmdline
    assert SECRET not in everything and "another" not in everything
    assert f"uid {os.getuid()} pid {os.getpid()}: key.add" in gateway.log()
