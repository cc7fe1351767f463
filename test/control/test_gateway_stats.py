# SPDX-License-Identifier: BSD-3-Clause
"""Counters while packets flow: over the socket, and over DPDK's telemetry."""

import json
import time

import pytest

from control.live import SINK, TOP, Gateway, balanced, looped, settled, telemetry
from linux import kernel
from oracle import gateway as model
from segseal_client import SegsealError

FOLDER = TOP / "test" / "linux" / "captures"
ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(FOLDER / f"{ONE.name}.pcap")


@pytest.fixture(params=[1, 2], ids=["one-worker", "two-workers"])
def gateway(request, build, tmp_path):
    source = LOOPED if request.param == 1 else LOOPED + f",rx_pcap={FOLDER / ONE.name}.pcap"
    with Gateway(
        build,
        tmp_path,
        [source, SINK],
        config="port 0 verify require\nworker stuck-after 3600000\n",
        workers=request.param,
        options=["--rxq", str(request.param)],
    ) as running:
        running.call(
            "key.add",
            id=ONE.key.id,
            algorithm=ONE.key.algorithm,
            profile="linux",
            secret=ONE.key.secret.decode(),
        )
        yield running


def test_every_packet_is_counted_once_at_any_time(gateway):
    settled(gateway.stats, lambda stats: stats["verified"] > 1000)
    end = time.monotonic() + 2
    looks = 0
    while time.monotonic() < end:
        stats = gateway.stats()
        assert balanced(stats), stats
        passes = sum(stats[name] for name in model.PASSES)
        assert passes == stats["tx"], stats
        looks += 1
    assert looks > 10


def test_names_are_the_contract(gateway):
    stats = gateway.stats()
    assert set(stats) == {*model.EVENTS, *model.PASSES, "drops"}
    assert set(stats["drops"]) == set(model.DROPS)


def test_clear(gateway):
    settled(gateway.stats, lambda stats: stats["verified"] > 10000)
    gateway.call("stop")
    assert gateway.call("stats.clear") == {}
    after = gateway.stats()
    assert sum(n for name, n in after.items() if name != "drops") == 0
    assert sum(after["drops"].values()) == 0
    gateway.call("start")
    time.sleep(1)
    before = gateway.stats()
    assert balanced(before)
    gateway.call("stats.clear")
    assert gateway.stats()["rx"] < before["rx"]


def test_ports(gateway):
    settled(gateway.stats, lambda stats: stats["verified"] > 1000)
    gateway.call("stop")
    first, second = gateway.call("port.stats", port="all")["ports"]
    assert gateway.call("port.stats")["ports"] == [first, second]
    assert first["gate"] == gateway.stats()
    assert first["ipackets"] == first["gate"]["rx"] and first["opackets"] == 0
    assert second["opackets"] == first["gate"]["tx"] and second["gate"]["rx"] == 0
    assert gateway.call("port.stats", port=1)["ports"] == [second]

    gateway.call("port.stats.clear", port=0)
    first = gateway.call("port.stats", port=0)["ports"][0]
    assert first["ipackets"] == first["gate"]["rx"] == 0
    assert gateway.call("port.stats", port=1)["ports"] == [second]
    with pytest.raises(SegsealError) as refused:
        gateway.call("port.stats", port=2)
    assert refused.value.errno_name == "ENODEV"
    for wrong in ("some", -1, None, [0]):
        with pytest.raises(SegsealError) as refused:
            gateway.call("port.stats", port=wrong)
        assert refused.value.code == -32602


def test_telemetry(gateway):
    settled(gateway.stats, lambda stats: stats["verified"] > 1000)
    gateway.call("stop")
    stats = json.loads(telemetry(gateway, "/segseal/stats"))["/segseal/stats"]
    assert stats == gateway.stats()
    assert json.loads(telemetry(gateway, "/segseal/stats,0"))["/segseal/stats"] == stats
    assert json.loads(telemetry(gateway, "/segseal/stats,1"))["/segseal/stats"]["rx"] == 0
    for wrong in ("/segseal/stats,9", "/segseal/stats,x", "/segseal/ports,9", "/segseal/keys,1"):
        assert list(json.loads(telemetry(gateway, wrong)).values()) == [None]

    assert json.loads(telemetry(gateway, "/segseal/ports")) == {"/segseal/ports": [0, 1]}
    first = json.loads(telemetry(gateway, "/segseal/ports,0"))["/segseal/ports"]
    assert (first["name"], first["peer"], first["verify"]) == ("net_pcap0", 1, "require")

    listed = json.loads(telemetry(gateway, "/segseal/keys"))["/segseal/keys"]
    states = {"future": 0, "accepting": 0, "sending": 1, "expired": 0}
    assert listed == {"count": 1, "states": states, "ids": [ONE.key.id]}
    key = json.loads(telemetry(gateway, f"/segseal/keys,{ONE.key.id}"))["/segseal/keys"]
    assert key["algorithm"] == "sha256" and key["verified"] == stats["verified"]
    assert key["state"] == "sending"
    assert ONE.key.secret.decode() not in json.dumps(key)


def test_telemetry_while_keys_change(gateway):
    """The telemetry thread looks on while the control thread works."""
    for number in range(1, 300):
        gateway.call("key.add", id=number, algorithm="sha1", profile="linux", secret="s")
        if number % 10 == 0:
            listed = json.loads(telemetry(gateway, "/segseal/keys"))["/segseal/keys"]
            assert listed["count"] == number + 1
            assert len(listed["ids"]) == min(number + 1, 256)
            assert balanced(json.loads(telemetry(gateway, "/segseal/stats"))["/segseal/stats"])


def test_workers_and_engine(gateway):
    settled(gateway.stats, lambda stats: stats["verified"] > 10000)
    gateway.call("stop")
    workers = gateway.call("worker.list")["workers"]
    stats = gateway.stats()
    assert sum(worker["packets"] for worker in workers) == stats["rx"]
    assert all(0 < worker["bursts"] <= worker["packets"] for worker in workers)
    assert all(not worker["running"] and worker["busy_percent"] <= 100 for worker in workers)
    for worker in workers:
        sizes = worker["burst_sizes"]
        assert sum(sizes.values()) == worker["bursts"]
        # What the sizes say of how many packets there were must hold.
        bounds = [[int(end) for end in size.split("-")] for size in sizes]
        least = sum(bound[0] * n for bound, n in zip(bounds, sizes.values()))
        most = sum(bound[-1] * n for bound, n in zip(bounds, sizes.values()))
        assert least <= worker["packets"] <= most
        assert worker["state"] == "stopped" and worker["heartbeat_ms"] >= 0
        assert worker["busy_cycles"] // worker["packets"] == worker["cycles_per_packet"]
        assert worker["busy_cycles"] < worker["cycles"]
        told = json.loads(telemetry(gateway, f"/segseal/workers,{worker['worker']}"))
        told = told["/segseal/workers"]
        assert told["burst_sizes"] == list(sizes.values())
        changing = ("cycles", "busy_percent", "heartbeat_ms", "burst_sizes")
        same = told.keys() & worker.keys() - set(changing)
        assert len(same) > 8 and told.keys() - worker.keys() == set()
        assert {name: told[name] for name in same} == {name: worker[name] for name in same}
    numbers = json.loads(telemetry(gateway, "/segseal/workers"))["/segseal/workers"]
    assert numbers == [worker["worker"] for worker in workers]
    assert list(json.loads(telemetry(gateway, "/segseal/workers,9")).values()) == [None]
    # Five packets of one flow over and over: computed once, and again when the key came.
    assert sum(worker["memo_hits"] for worker in workers) > stats["verified"] - 1000
    gateway.call("stats.clear")
    assert all(
        worker["packets"] == worker["bursts"] == worker["memo_hits"] == 0
        for worker in gateway.call("worker.list")["workers"]
    )
    assert all(
        sum(worker["burst_sizes"].values()) == worker["memo_misses"] == 0
        for worker in gateway.call("worker.list")["workers"]
    )

    engine = gateway.call("engine.get")
    assert engine["managers"] and engine["calibrated"] in (True, False)
    assert {one["algorithm"] for one in engine["crossover"]} == {"sha1", "sha256", "sha384", "sha512"}
    assert all(one["manager"] in engine["managers"] for one in engine["choices"])
