# SPDX-License-Identifier: BSD-3-Clause
"""Drops that a replay cannot have: a port that takes nothing, and no packet buffers."""

from control.live import Gateway, balanced, dropped, looped, settled
from oracle import build as packets
from oracle import capture, commands, edit, gateway, mac
from pcap.case import BOTH, path, require
from replay import write_secret

EDIT_MBUFS = 8


def prepared(folder, config, frames):
    """The commands for a gateway that receives frames; they and the keys lie in folder."""
    capture.write(folder / "in.pcap", frames)
    write_secret(folder / "keys", commands.key_file(config))
    return commands.config_file(config, keys=folder / "keys")


def stopped(running):
    """The counters once forwarding has stopped: nothing is between rx and tx then."""
    running.call("stop")
    return running.stats()


def test_tx_full(build, tmp_path):
    """A memif whose other end nobody has opened takes no packet."""
    frames = [edit.seal(key, packets.routed(path(2))) for key in BOTH]
    config = prepared(tmp_path, require(*BOTH), frames)
    ports = [looped("in.pcap"), f"net_memif0,role=server,socket={tmp_path}/m,socket-abstract=no"]
    with Gateway(build, tmp_path, ports, config) as running:
        settled(running.stats, lambda stats: stats["rx"] > 1000)
        stats = stopped(running)
        assert stats["tx"] == 0
        assert dropped(stats) == {"tx_full": stats["rx"]}


def test_no_buffer(build, tmp_path):
    """Headers longer than a buffer lie across two, and need one more to be edited. With fewer of
    these than a burst has packets, the rest of the burst is dropped, and nothing else goes wrong."""
    key = mac.Key(1, "sha256", mac.LINUX, b"k")
    frame = packets.routed(path(125), left=0, payload=b"p" * 64)
    conf = gateway.Config(keys=(key,), insert=key.id, mtu=9000)
    config = prepared(tmp_path, conf, [frame] * 640)
    capture.write(tmp_path / "nothing.pcap", [])
    # A file knows of no MTU, so that buffers are not made long enough for it.
    ports = ["net_pcap0,rx_pcap=in.pcap", "net_pcap1,rx_pcap=nothing.pcap,tx_pcap=out.pcap"]
    options = ["--edit-mbufs", str(EDIT_MBUFS)]
    with Gateway(build, tmp_path, ports, config, options=options) as running:
        settled(running.stats, lambda stats: stats["rx"] == 640)
        stats = stopped(running)
        # More than there are buffers: those that were used came back.
        assert stats["inserted"] == stats["tx"] > EDIT_MBUFS
        assert set(dropped(stats)) == {"no_buffer"} and balanced(stats)
        running.call("quit")
        assert running.wait() == 0
    assert capture.read(tmp_path / "out.pcap") == [edit.seal(key, frame)] * stats["tx"]
