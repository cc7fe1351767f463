# SPDX-License-Identifier: BSD-3-Clause
"""Drops that a replay cannot have: a port that takes nothing, and no packet buffers."""

import time

import pytest

from live.gateway import NOWHERE, loop, once
from oracle import build, edit, gateway, mac
from pcap.case import BOTH, path, require

EDIT_MBUFS = 8


@pytest.fixture
def no_taker(tmp_path):
    """A port whose other end nobody has opened: it takes no packet."""
    return f"net_memif0,role=server,socket={tmp_path}/memif,socket-abstract=no"


def counted(running):
    """The counters once forwarding has stopped: nothing is between rx and tx then."""
    running.ctl("stop")
    return running.stats()


def assert_whole(stats):
    assert stats["rx"] == stats["tx"] + sum(stats["drops"].values())


def test_tx_full(start, no_taker):
    frames = [edit.seal(key, build.routed(path(2))) for key in BOTH]
    with start(require(*BOTH), frames, [loop("in.pcap"), no_taker]) as running:
        time.sleep(0.5)
        stats = counted(running)
        assert stats["rx"] > 0 and stats["tx"] == 0
        assert stats["drops"]["tx_full"] == stats["rx"]
        assert_whole(stats)
        assert running.quit() == 0


def test_no_buffer(start):
    """Headers longer than a buffer lie across two, and need one more to be edited. With fewer of
    these than a burst has packets, the rest of the burst is dropped, and nothing else goes wrong."""
    key = mac.Key(1, "sha256", mac.LINUX, b"k")
    frames = [build.routed(path(125), left=0, payload=b"p" * 64)] * 640
    config = gateway.Config(keys=(key,), insert=key.id)
    options = ["--edit-mbufs", str(EDIT_MBUFS)]
    with start(config, frames, [once("in.pcap"), NOWHERE], options=options) as running:
        for _ in range(100):
            if running.stats()["rx"] == len(frames):
                break
            time.sleep(0.1)
        stats = counted(running)
        assert stats["rx"] == len(frames)
        # More than there are buffers: those that were used came back.
        assert stats["inserted"] == stats["tx"] > EDIT_MBUFS
        assert stats["drops"]["no_buffer"] > 0
        assert_whole(stats)
        assert running.quit() == 0
