# SPDX-License-Identifier: BSD-3-Clause
"""Packets through live ports: what comes out, by which port, and what port.set does to it."""

import pytest

from control.live import SINK, TOP, Gateway, balanced, dropped, looped, settled
from linux import kernel
from oracle import capture, commands
from oracle import gateway as model
from replay import write_secret
from segseal_client import SegsealError

FOLDER = TOP / "test" / "linux" / "captures"
SEALED = kernel.captures()
ONE = next(one for one in SEALED if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(FOLDER / f"{ONE.name}.pcap")


def keys(tmp_path, captures):
    """Write a key file for them; the command that loads it."""
    config = model.Config(keys=tuple(one.key for one in captures))
    write_secret(tmp_path / "keys", commands.key_file(config))
    return f"key load {tmp_path}/keys\n"


def empty(tmp_path):
    """A capture without packets, for a port that only sends."""
    capture.write(tmp_path / "empty.pcap", [])
    return tmp_path / "empty.pcap"


def through(build, tmp_path, frames, config):
    """What leaves port 1 when frames have come in by port 0, and the counters."""
    capture.write(tmp_path / "in.pcap", frames)
    vdevs = [
        f"net_pcap0,rx_pcap={tmp_path}/in.pcap,tx_pcap={tmp_path}/back.pcap",
        f"net_pcap1,rx_pcap={empty(tmp_path)},tx_pcap={tmp_path}/out.pcap",
    ]
    with Gateway(build, tmp_path, vdevs, config=config) as gateway:
        stats = settled(gateway.stats, lambda stats: stats["rx"] == len(frames))
        gateway.call("quit")
        assert gateway.wait() == 0
    assert capture.read(tmp_path / "back.pcap") == []
    return capture.read(tmp_path / "out.pcap"), stats


@pytest.mark.parametrize("group", kernel.groups(), ids=lambda group: group[0].name)
def test_kernel_captures_pass_unchanged(build, tmp_path, group):
    frames = [frame for one in group for frame in one.frames]
    out, stats = through(
        build, tmp_path, frames, keys(tmp_path, group) + "port 0 verify require\n"
    )
    assert out == frames
    assert stats["verified"] == stats["rx"] == stats["tx"] == len(frames)
    assert dropped(stats) == {}


def test_live_is_the_model(build, tmp_path):
    """Strip and seal anew, live, octet for octet what the model says."""
    config = model.Config(
        keys=(ONE.key,), verify=model.REQUIRE, strip=True, insert=ONE.key.id, mtu=1500
    )
    tampered = [frame[:30] + bytes([frame[30] ^ 1]) + frame[31:] for frame in ONE.frames]
    frames = [frame for pair in zip(ONE.frames, tampered) for frame in pair]
    out, stats = through(
        build,
        tmp_path,
        frames,
        keys(tmp_path, [ONE])
        + f"port 0 verify require\nport 0 strip on\nport 0 insert key {ONE.key.id}\n",
    )
    want, counters = model.gateway(config, frames)
    assert out == want and want
    assert stats == counters.json()


def test_jumbo_in_many_buffers(build, tmp_path):
    """Stripped and sealed anew. (net_pcap itself writes 9,728 octets of a packet at most.)"""
    config = model.Config(
        keys=(ONE.key,), verify=model.REQUIRE, strip=True, insert=ONE.key.id, mtu=65535
    )
    frames = [frame.ljust(length, b"\xa5") for frame in ONE.frames for length in (2100, 5000, 9700)]
    out, stats = through(
        build,
        tmp_path,
        frames,
        keys(tmp_path, [ONE])
        + "port 1 mtu 65535\nport 0 verify require\nport 0 strip on\n"
        + f"port 0 insert key {ONE.key.id}\n",
    )
    want, counters = model.gateway(config, frames)
    assert out == want == frames
    assert stats == counters.json()


def test_ring_brings_back_what_was_sent(build, tmp_path):
    """Port 1 is a ring that gives back what goes in: a packet passes both ports' settings."""
    key = ONE.key
    stripped, _ = model.gateway(
        model.Config(keys=(key,), verify=model.REQUIRE, strip=True), ONE.frames
    )
    capture.write(tmp_path / "in.pcap", stripped)
    vdevs = [
        f"net_pcap0,rx_pcap={tmp_path}/in.pcap,tx_pcap={tmp_path}/out.pcap",
        "net_ring0",
    ]
    config = keys(tmp_path, [ONE]) + (
        f"port 0 insert key {key.id}\nport 1 verify require\nport 1 strip on\n"
    )
    with Gateway(build, tmp_path, vdevs, config=config) as gateway:
        settled(gateway.stats, lambda stats: stats["rx"] == 2 * len(stripped))
        ports = gateway.call("port.stats")["ports"]
        assert ports[0]["gate"]["inserted"] == len(stripped)
        assert ports[1]["gate"]["verified"] == ports[1]["gate"]["stripped"] == len(stripped)
        gateway.call("quit")
        assert gateway.wait() == 0
    assert capture.read(tmp_path / "out.pcap") == stripped


# --- workers and queues


@pytest.fixture(params=[1, 2], ids=["one-worker", "two-workers"])
def workers(request):
    return request.param


def test_two_queues(build, tmp_path, workers):
    source = LOOPED + f",rx_pcap={FOLDER / ONE.name}.pcap"
    config = keys(tmp_path, [ONE]) + "port 0 verify require\n"
    with Gateway(
        build, tmp_path, [source, SINK], config=config, workers=workers, options=["--rxq", "2"]
    ) as gateway:
        settled(gateway.stats, lambda stats: stats["verified"] > 10000)
        listed = settled(
            lambda: gateway.call("worker.list")["workers"],
            lambda listed: all(worker["packets"] > 1000 for worker in listed),
        )
        assert len(listed) == workers
        queues = sorted(
            (queue["port"], queue["queue"]) for worker in listed for queue in worker["queues"]
        )
        assert queues == [(0, 0), (0, 1), (1, 0), (1, 1)]
        assert all(worker["running"] and worker["cycles_per_packet"] for worker in listed)
        stats = gateway.stats()
        assert balanced(stats) and dropped(stats) == {}


def test_more_workers_than_queues(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], workers=3) as gateway:
        stats = settled(gateway.stats, lambda stats: stats["rx"] > 1000)
        assert balanced(stats)
        assert len(gateway.call("worker.list")["workers"]) == 3
        assert gateway.call("stop") == {"running": False}


def test_one_transmit_queue_is_one_workers(build, tmp_path):
    """The peer can send by one queue alone: both receive queues must go to the same worker."""
    source = LOOPED + f",rx_pcap={FOLDER / ONE.name}.pcap"
    none = empty(tmp_path)
    sink = f"net_pcap1,rx_pcap={none},rx_pcap={none},tx_pcap={tmp_path}/out.pcap"
    with Gateway(
        build, tmp_path, [source, sink], config="stop\n", workers=2, options=["--rxq", "2"]
    ) as gateway:
        assert gateway.call("port.list", port=1)["ports"][0]["tx_queues"] == 1
        owners = {
            worker["worker"]
            for worker in gateway.call("worker.list")["workers"]
            for queue in worker["queues"]
            if queue["port"] == 0
        }
        assert len(owners) == 1


# --- port.set


def port(gateway, number=0):
    return gateway.call("port.list", port=number)["ports"][0]


def test_settings_are_listed(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK]) as gateway:
        first = port(gateway)
        assert (first["name"], first["driver"], first["link"]) == ("net_pcap0", "net_pcap", "up")
        assert (first["peer"], first["verify"], first["strip"], first["insert"]) == (
            1,
            "off",
            False,
            None,
        )
        assert first["promiscuous"] and first["mtu"] == 1500
        gateway.call("port.set", port=0, verify="require", strip=True, insert=4294967295, mtu=1400)
        second = port(gateway)
        assert (second["verify"], second["strip"]) == ("require", True)
        assert (second["insert"], second["mtu"]) == (4294967295, 1400)
        gateway.call("port.set", port=0, insert=None)
        assert port(gateway)["insert"] is None
        assert port(gateway)["verify"] == "require"
        assert len(gateway.call("port.list")["ports"]) == 2


@pytest.mark.parametrize(
    ("params", "code", "name"),
    [
        ({}, -32602, None),
        ({"port": 0}, -32602, None),
        ({"port": 2, "verify": "off"}, -32000, "ENODEV"),
        ({"port": -1, "verify": "off"}, -32602, None),
        ({"port": "0", "verify": "off"}, -32602, None),
        ({"port": 0, "verify": "require", "peer": 2}, -32000, "ENODEV"),
        ({"port": 0, "verify": "require", "strip": 1}, -32602, None),
        ({"port": 0, "verify": "require", "insert": 0}, -32602, None),
        ({"port": 0, "verify": "require", "mtu": 1279}, -32602, None),
        ({"port": 0, "verify": "require", "mtu": 65536}, -32602, None),
        ({"port": 0, "verify": "require", "promiscuous": None}, -32602, None),
        ({"port": 0, "verify": "require", "colour": "red"}, -32602, None),
        ({"port": 0, "verify": "maybe"}, -32602, None),
        ({"port": 0, "verify": None}, -32602, None),
    ],
)
def test_wrong_setting_sets_nothing(build, tmp_path, params, code, name):
    with Gateway(build, tmp_path, [LOOPED, SINK]) as gateway:
        before = gateway.call("port.list")
        with pytest.raises(SegsealError) as refused:
            gateway.call("port.set", **params)
        assert (refused.value.code, refused.value.errno_name) == (code, name)
        assert "\n" not in str(refused.value)
        assert gateway.call("port.list") == before


def test_modes_change_while_packets_flow(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config=keys(tmp_path, [ONE])) as gateway:
        settled(gateway.stats, lambda stats: stats["unchecked"] > 1000)
        for _ in range(20):
            gateway.call("port.set", port=0, verify="require", strip=True)
            gateway.call("stats.clear")
            stats = settled(gateway.stats, lambda stats: stats["verified"] > 500)
            assert balanced(stats) and dropped(stats) == {}
            gateway.call("port.set", port=0, verify="off", strip=False)
        gateway.call("port.set", port=0, verify="if-present")
        gateway.call("sid.add", prefix="2001:db8::/32")
        gateway.call("stats.clear")
        settled(gateway.stats, lambda stats: stats["out_of_scope"] > 500)
        gateway.call("sid.del", prefix="2001:db8::/32")
        gateway.call("stats.clear")
        settled(gateway.stats, lambda stats: stats["verified"] > 500)
        assert dropped(gateway.stats()) == {}


def test_pairs_change_while_packets_flow(build, tmp_path, workers):
    vdevs = [LOOPED, SINK, "net_null1,no-rx=1", "net_null2,no-rx=1"]

    def sent(gateway):
        return [one["opackets"] for one in gateway.call("port.stats")["ports"]]

    with Gateway(build, tmp_path, vdevs, workers=workers) as gateway:
        assert [one["peer"] for one in gateway.call("port.list")["ports"]] == [1, 0, 3, 2]
        settled(lambda: sent(gateway)[1], lambda n: n > 1000)
        for peer in [2, 3, 1] * 5:
            gateway.call("port.set", port=0, peer=peer)
            before = sent(gateway)
            after = settled(lambda: sent(gateway), lambda now: now[peer] > before[peer] + 500)
            assert [n for i, n in enumerate(after) if i != peer] == [
                n for i, n in enumerate(before) if i != peer
            ]
        # The one that lost its peer has none until it gets another.
        gateway.call("port.set", port=0, peer=2)
        assert [one["peer"] for one in gateway.call("port.list")["ports"]] == [2, None, 0, None]
        gateway.call("port.set", port=3, peer=1)
        assert [one["peer"] for one in gateway.call("port.list")["ports"]] == [2, 3, 0, 1]
        stats = gateway.stats()
        assert balanced(stats) and dropped(stats) == {}


def test_odd_port_has_no_peer(build, tmp_path):
    vdevs = ["net_null0,no-rx=1", "net_null1,no-rx=1", LOOPED]
    with Gateway(build, tmp_path, vdevs) as gateway:
        gateway.said("port 2 (net_pcap0) has no peer")
        assert port(gateway, 2)["peer"] is None
        assert gateway.stats()["rx"] == 0
        gateway.call("port.set", port=2, peer=2)  # a wire bent back
        settled(gateway.stats, lambda stats: stats["rx"] > 0)


def test_mtu_of_the_peer_bounds_insertion(build, tmp_path):
    stripped, _ = model.gateway(
        model.Config(keys=(ONE.key,), verify=model.REQUIRE, strip=True), ONE.frames
    )
    padded = [frame.ljust(1514, b"\0") for frame in stripped]
    capture.write(tmp_path / "in.pcap", padded)
    source = looped(tmp_path / "in.pcap")
    config = keys(tmp_path, [ONE]) + f"port 0 insert key {ONE.key.id}\n"
    with Gateway(build, tmp_path, [source, SINK], config=config) as gateway:
        settled(gateway.stats, lambda stats: stats["drops"]["too_big"] > 500)
        assert gateway.stats()["inserted"] == 0
        gateway.call("port.set", port=1, mtu=1540)
        gateway.call("stats.clear")
        stats = settled(gateway.stats, lambda stats: stats["inserted"] > 500)
        assert dropped(stats) == {}
