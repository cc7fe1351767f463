# SPDX-License-Identifier: BSD-3-Clause
"""Events of a running gateway: told to those who subscribed, kept for those who ask."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

from control.live import SINK, TOP, Gateway, looped, run_refused, settled
from control.terminal import Terminal
from control.test_gateway_health import Pipe
from linux import kernel
from replay import write_secret
from segseal_client import SegsealError

ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(TOP / "test" / "linux" / "captures" / f"{ONE.name}.pcap")
QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
ALL = ["key", "drops", "link", "worker", "change"]


def documented():
    """{event: the members that docs/api.md says it has}"""
    text = (TOP / "docs" / "api.md").read_text()
    members = {}
    for row in text.partition("| `event` |")[2].partition("\n\n")[0].splitlines()[2:]:
        event, _, cell = row.strip("| ").split(" | ")
        names = re.findall(r"(?:^|; )`(\w+)`", cell)
        common = [] if "neither `number`" in cell else ["number", "time"]
        members[event.strip("`")] = {"event", *common, *names}
    return members


def next_event(client):
    """The next event, which is as the documentation says."""
    event = client.event()
    assert set(event) == documented()[event["event"]]
    return event


def until(client, wanted):
    """The next event that is wanted; others are passed over."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        event = next_event(client)
        if wanted(event):
            return event
    raise AssertionError("never told")


def test_documented():
    members = documented()
    assert set(members) == {*ALL, "lost"}
    text = (TOP / "docs" / "api.md").read_text()
    shown = re.findall(r'^{"jsonrpc":"2.0","method":"event","params":(.*)}$', text, re.MULTILINE)
    assert shown
    for event in map(json.loads, shown):
        assert set(event) == members[event["event"]]


def add_dying_key(gateway, number):
    life = {"accept": {"from": "+1s", "to": "+3s"}, "send": {"from": "+1s", "to": "+2s"}}
    gateway.call("key.add", id=number, algorithm="sha256", profile="linux", secret="s", **life)


def test_life_of_a_key(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway, gateway.connect(60) as client:
        assert client.call("events.subscribe") == {"events": ALL}
        other = gateway.connect()
        assert other.call("events.subscribe", events=["link", "drops"]) == {
            "events": ["drops", "link"]
        }
        add_dying_key(gateway, 7)
        states, events = [], []
        while "expired" not in states:
            event = until(client, lambda one: one["event"] == "key")
            assert event["key"] == 7
            states.append(event["state"])
            events.append(event)
        # A machine that is very busy may see two flips as one.
        assert states == [state for state in ("sending", "accepting", "expired") if state in states]
        numbers = [event["number"] for event in events]
        assert numbers == sorted(set(numbers))
        assert events[-1]["time"].startswith("20") and events[-1]["time"].endswith("Z")

        listed = gateway.call("events.list")
        assert [one for one in listed["events"] if one["event"] == "key"] == events
        assert listed["subscribers"] == 2
        other.call("version")
        assert other.events == []

        assert client.call("events.unsubscribe") == {"events": []}
        assert gateway.call("events.list")["subscribers"] == 1


def test_changes(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway, gateway.connect(60) as client:
        client.call("events.subscribe", events=["change"])
        secret = "HUSHHUSH"
        gateway.call("key.add", id=5, algorithm="sha256", profile="linux", secret=secret)
        with pytest.raises(SegsealError):
            gateway.call("key.del", id=6)
        gateway.call("key.list")
        client.call("key.del", id=5)
        added = next_event(client)
        assert (added["event"], added["method"]) == ("change", "key.add")
        assert json.loads(added["params"]) == {
            "id": 5,
            "algorithm": "sha256",
            "profile": "linux",
        }
        assert (added["uid"], added["pid"]) == (os.geteuid(), os.getpid())
        deleted = next_event(client)
        assert (deleted["method"], json.loads(deleted["params"])) == ("key.del", {"id": 5})
        assert secret not in json.dumps(added)
        kinds = [one["event"] for one in gateway.call("events.list")["events"]]
        assert "change" not in kinds


def test_drops_above_and_below(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config="events drop-rate 500\n") as gateway:
        with gateway.connect(60) as client:
            client.call("events.subscribe", events=["drops"])
            gateway.call("port.set", port=0, verify="require")
            event = next_event(client)
            assert (event["event"], event["reason"], event["state"], event["limit"]) == (
                "drops",
                "key_unknown",
                "above",
                500,
            )
            assert event["rate"] > 500
            gateway.call("port.set", port=0, verify="off")
            event = next_event(client)
            assert (event["reason"], event["state"]) == ("key_unknown", "below")
            assert event["rate"] <= 250


def test_stuck_worker(build, tmp_path):
    pipe = Pipe(tmp_path / "pipe")
    try:
        vdevs = [f"net_pcap0,rx_pcap={pipe.path}", SINK]
        with Gateway(build, tmp_path, vdevs, config="worker stuck-after 300\n") as gateway:
            look = lambda: [
                one for one in gateway.call("events.list")["events"] if one["event"] == "worker"
            ]
            stuck = settled(look, len)[0]
            assert (stuck["worker"], stuck["lcore"], stuck["state"]) == (0, 1, "stuck")
            assert stuck["silent_ms"] >= 300
            settled(lambda: look()[-1]["state"], lambda state: state == "stuck")
            with gateway.connect(60) as client:
                client.call("events.subscribe", events=["worker"])
                pipe.end()
                event = next_event(client)
                assert (event["event"], event["state"]) == ("worker", "responding")
                assert event["silent_ms"] >= stuck["silent_ms"]
    finally:
        pipe.end()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a tap interface")
@pytest.mark.skipif(not os.path.exists("/dev/net/tun"), reason="no /dev/net/tun")
def test_link(build, tmp_path):
    name = f"sgtap{os.getpid() % 100000}"

    def link(state):
        subprocess.run(["ip", "link", "set", name, state], check=True, timeout=30)

    with Gateway(build, tmp_path, [f"net_tap0,iface={name}", SINK]) as gateway:
        with gateway.connect(60) as client:
            client.call("events.subscribe", events=["link"])
            states = lambda: [one["link"] for one in gateway.call("port.list", port=0)["ports"]]
            settled(states, lambda now: now == ["up"])
            link("down")
            event = until(client, lambda one: one["state"] == "down")
            assert (event["event"], event["port"]) == ("link", 0)
            assert states() == ["down"]
            link("up")
            assert until(client, lambda one: one["state"] == "up")["port"] == 0
            assert "port 0: link up" in gateway.log()


def test_too_many_at_once(build, tmp_path):
    """A thousand keys that expire in one second, or in two, and a client that does not read."""
    write_secret(
        tmp_path / "keys",
        "".join(f"{n} sha1 linux accept=..+2s send=..+2s text:s\n" for n in range(1, 1001)),
    )
    with Gateway(build, tmp_path, QUIET) as gateway, gateway.connect(60) as client:
        client.call("events.subscribe", events=["key"])
        gateway.call("key.load", path=str(tmp_path / "keys"))
        states = lambda: {key["state"] for key in gateway.call("key.list")["keys"]}
        settled(states, lambda now: now == {"expired"})
        told, lost = set(), 0
        while len(told) + lost < 1000:
            event = next_event(client)
            if event["event"] == "lost":
                lost += event["count"]
            else:
                assert event["state"] == "expired" and event["key"] not in told
                told.add(event["key"])
        assert len(told) in (256, 512) and len(told) + lost == 1000
        assert len(gateway.call("events.list")["events"]) == 100


@pytest.mark.parametrize(
    "wrong", ["key", [], ["keys"], [1], {"key": 1}, None, ["key", "link", "x"]]
)
def test_bad_topics(build, tmp_path, wrong):
    with Gateway(build, tmp_path, QUIET) as gateway:
        for method in ("events.subscribe", "events.unsubscribe"):
            with pytest.raises(SegsealError) as refused:
                gateway.call(method, events=wrong)
            assert refused.value.code == -32602
        assert gateway.call("events.list")["subscribers"] == 0


def ctl_words(build, gateway, *words):
    return [str(build / "app" / "segsealctl"), "-s", gateway.socket, *words]


def test_watch_in_a_pipe(build, tmp_path):
    """Until the gateway ends; one line an event, at once."""
    with Gateway(build, tmp_path, QUIET) as gateway:
        words = ctl_words(build, gateway, "show", "events", "watch", "json")
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as watch:
            try:
                settled(lambda: gateway.call("events.list")["subscribers"], lambda n: n == 1)
                add_dying_key(gateway, 9)
                event = json.loads(watch.stdout.readline())
                assert (event["event"], event["method"]) == ("change", "key.add")
                while event.get("state") != "expired":
                    event = json.loads(watch.stdout.readline())
                    assert event["event"] == "worker" or event["key"] == 9
                gateway.call("quit")
                assert watch.wait(60) == 1
                assert b"closed the connection" in watch.stderr.read()
            finally:
                watch.kill()


def test_watch_at_the_prompt(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        with Terminal(ctl_words(build, gateway)) as terminal:
            terminal.until("segseal> ")
            before = terminal.line_mode()
            terminal.type("show events watch\r")
            terminal.until("any key ends this")
            settled(lambda: gateway.call("events.list")["subscribers"], lambda n: n == 1)
            add_dying_key(gateway, 9)
            terminal.until("key 9: expired")
            terminal.type("x")
            terminal.until("segseal> ")
            assert gateway.call("events.list")["subscribers"] == 0
            assert terminal.line_mode() == before
            terminal.type("show events\r")
            terminal.until("key 9: expired")
            terminal.until("segseal> ")
            terminal.type("show events watch\r")
            terminal.until("any key ends this")
            os.kill(terminal.pid, signal.SIGTERM)
            assert terminal.wait() == -signal.SIGTERM


def test_a_configuration_file_has_none(build, tmp_path):
    status, log = run_refused(build, tmp_path, QUIET, config="show events watch\n")
    assert status == 2
    assert ":1: show events watch: a configuration file has no events" in log
