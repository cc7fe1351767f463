# SPDX-License-Identifier: BSD-3-Clause
"""Much at once while packets flow: a hundred clients with three bad ones among them, and ten
thousand keys."""

import threading
import time

import pytest

from control.live import SINK, TOP, Gateway, balanced, dropped, looped, settled
from linux import kernel
from replay import write_secret

ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(TOP / "test" / "linux" / "captures" / f"{ONE.name}.pcap")
LINE = f"{ONE.key.id} sha256 linux text:{ONE.key.secret.decode()}\n"
CLIENTS = 100
ROUNDS = 5
VERSION = b'{"jsonrpc":"2.0","id":1,"method":"version"}\n'
ALL_KEYS = b'{"jsonrpc":"2.0","id":1,"method":"key.list"}\n'


def key_file(path, n, secret):
    lines = [f"{number} sha256 linux text:{secret} {number}\n" for number in range(10000, 10000 + n)]
    write_secret(path, LINE + "".join(lines))
    return str(path)


@pytest.fixture
def gateway(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config="port 0 verify require\n") as running:
        running.call("key.load", path=key_file(tmp_path / "first", 2000, "first"))
        settled(running.stats, lambda stats: stats["verified"] > 0)
        running.call("stats.clear")
        settled(running.stats, lambda stats: stats["verified"] > 1000)
        yield running
        # Whatever went on: nothing was lost, nothing judged wrongly, and it goes on.
        first = running.stats()
        last = settled(running.stats, lambda stats: stats["verified"] > first["verified"] + 1000)
        assert dropped(last) == {} and balanced(last) and last["rx"] == last["verified"]


class Crowd:
    """Threads of which each says what went wrong in it."""

    def __init__(self):
        self.failures = []
        self.done = threading.Event()
        self.threads = []

    def start(self, work, *args):
        def guarded():
            try:
                work(*args)
            except Exception as error:  # noqa: BLE001: told in the end
                self.failures.append((work.__name__, error))

        self.threads.append(threading.Thread(target=guarded, daemon=True))
        self.threads[-1].start()

    def join(self):
        for thread in self.threads:
            thread.join(150)
        assert not any(thread.is_alive() for thread in self.threads)
        assert self.failures == []


def test_hundred_clients_and_three_bad_ones(gateway):
    good, bad = Crowd(), Crowd()
    went = []

    def slow():
        """An octet a second, as long as the others work; the rest then. It is answered, too."""
        with gateway.connect(timeout=120) as client:
            rest = VERSION
            while rest:
                client.send_raw(rest[:1])
                rest = rest[1:]
                if bad.done.wait(1):
                    client.send_raw(rest)
                    break
            assert client.read_answer()["result"]["version"]

    def closes():
        """Asks for more than a socket takes, reads a little of it, and is gone: again and again."""
        while not bad.done.is_set():
            with gateway.connect() as client:
                client.send_raw(ALL_KEYS * 4)
                assert client.sock.recv(1000)
            went.append(1)

    def work(number):
        with gateway.connect(timeout=120) as client:
            for _ in range(ROUNDS):
                client.call(
                    "key.add", id=number, algorithm="sha384", profile="rfc8754", secret=f"s{number}"
                )
                assert client.call("key.list", id=number)["keys"][0]["id"] == number
                client.call("key.del", id=number)
                assert balanced(client.call("stats.get"))

    silent = gateway.connect()
    bad.start(slow)
    bad.start(closes)
    settled(lambda: len(went), lambda n: n > 0)
    for number in range(1, CLIENTS + 1):
        good.start(work, number)
    good.join()
    bad.done.set()
    bad.join()
    assert len(went) > 1
    silent.send_raw(VERSION)  # it was only thinking
    assert silent.read_answer()["result"]["version"]
    assert len(gateway.call("key.list")["keys"]) == 2001


def test_ten_thousand_keys(gateway, tmp_path, capsys):
    """All of them new, all of them other, none of them any more: no packet waits for it."""
    times = {}
    for name, n in (("added", 10000), ("replaced", 10000), ("unchanged", 10000), ("deleted", 0)):
        secret = "added" if name == "added" else "replaced"
        path = key_file(tmp_path / name, n, secret)
        before = gateway.stats()
        begin = time.monotonic()
        assert gateway.call("key.load", path=path) == {"keys": n + 1}
        times[name] = round((time.monotonic() - begin) * 1000)
        after = settled(gateway.stats, lambda stats: stats["rx"] > before["rx"])
        assert dropped(after) == {} and after["rx"] == after["verified"] == after["tx"]
    with capsys.disabled():
        print(f"\n10,000 keys, milliseconds until key.load has answered: {times}")
    assert [key["id"] for key in gateway.call("key.list")["keys"]] == [ONE.key.id]
    assert gateway.call("key.list")["keys"][0]["verified"] >= gateway.stats()["verified"] > 0
