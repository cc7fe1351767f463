# SPDX-License-Identifier: BSD-3-Clause
"""Clients that misbehave: each gets its answer or is dropped, and packets and others go on."""

import json
import socket
import threading
import time

import pytest

from control.live import SINK, TOP, Gateway, balanced, dropped, looped, settled
from linux import kernel
from segseal_client import SegsealError

ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(TOP / "test" / "linux" / "captures" / f"{ONE.name}.pcap")


@pytest.fixture
def gateway(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config="port 0 verify require\n") as running:
        running.call(
            "key.add",
            id=ONE.key.id,
            algorithm="sha256",
            profile="linux",
            secret=ONE.key.secret.decode(),
        )
        settled(running.stats, lambda stats: stats["verified"] > 0)
        running.call("stats.clear")
        yield running
        # Whatever the client did: nothing was lost, nothing judged wrongly, and it goes on.
        stats = settled(running.stats, lambda stats: stats["verified"] > 1000)
        more = settled(running.stats, lambda later: later["verified"] > stats["verified"])
        assert balanced(more) and dropped(more) == {}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"hello", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"stats.get"', -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"stats.get"}', -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 60000, -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b"null", -32600),
        (b'{"id":1,"method":"stats.get"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"stats.get"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"stats.put"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"stats.get","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"stats.get","params":{"x":1}}', -32602),
    ],
)
def test_malformed_request(gateway, line, code):
    with gateway.connect() as client:
        client.send_raw(line + b"\n")
        assert client.read_answer()["error"]["code"] == code


def test_ten_megabytes_in_one_line(gateway):
    client = gateway.connect()
    refused = None
    try:
        for _ in range(160):
            client.send_raw(b"x" * 65536)
        client.send_raw(b"\n")
    except (BrokenPipeError, ConnectionResetError) as error:
        refused = error
    try:
        answer = client.read_answer()
        assert answer["error"]["code"] == -32600
    except ConnectionError:
        assert refused  # its answer was lost with the connection that it did not stop writing to
    with pytest.raises(ConnectionError):
        client.call("stats.get")


def test_client_that_stops_reading(gateway):
    gateway.call("stop")
    for number in range(1, 2000):
        gateway.call("key.add", id=number, algorithm="sha1", profile="linux", secret="s")
    gateway.call("start")
    deaf = gateway.connect()
    deaf.sock.settimeout(0.5)
    request = json.dumps(deaf.request("key.list")).encode() + b"\n"
    asked = 0
    try:
        for _ in range(5000):
            deaf.send_raw(request)
            asked += 1
    except (TimeoutError, socket.timeout, BrokenPipeError, ConnectionResetError):
        pass
    assert asked < 5000  # it was not read from for ever
    begin = time.monotonic()
    for _ in range(20):
        assert balanced(gateway.stats())
    assert time.monotonic() - begin < 20
    deaf.close()


def test_clients_that_never_finish(gateway):
    silent = gateway.connect()
    slow = gateway.connect()
    gone = gateway.connect()
    gone.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"key.list"}\n' * 100)
    gone.close()
    for octet in b'{"jsonrpc":"2.0","id":1,"method":"version"}\n':
        slow.send_raw(bytes([octet]))
        assert gateway.call("version")["version"]
    assert slow.read_answer()["result"]["version"]
    silent.close()


def test_hundred_clients_at_once(gateway):
    failures = []

    def work(number):
        try:
            with gateway.connect() as client:
                for _ in range(5):
                    secret = f"secret {number}"
                    client.call(
                        "key.add", id=number, algorithm="sha384", profile="rfc8754", secret=secret
                    )
                    assert client.call("key.list", id=number)["keys"][0]["id"] == number
                    client.call("key.del", id=number)
                    assert balanced(client.call("stats.get"))
        except Exception as error:  # noqa: BLE001: told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 101)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []
    assert len(gateway.call("key.list")["keys"]) == 1


def test_secrets_stay_inside(gateway):
    """Not in errors, not in the log, not in what is listed."""
    secret = "HUSHHUSH" * 9  # too long
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.add", id=5, algorithm="sha256", profile="linux", secret=secret)
    assert "HUSH" not in str(refused.value)
    gateway.call("key.add", id=5, algorithm="sha256", profile="linux", secret="HUSHHUSH")
    with pytest.raises(SegsealError):
        gateway.call("key.add", id=5, algorithm="sha256", profile="linux", secret="HUSHHUSH")
    with gateway.connect() as client:
        client.send_raw(
            b'{"jsonrpc":"2.0","id":1,"method":"key.set","params":{"id":5,"secret":"HUSHHUSH"}}\n'
        )
        assert "HUSH" not in str(client.read_answer())
    assert "HUSH" not in json.dumps(gateway.call("key.list"))
    log = gateway.log()
    assert "key.add" in log and "HUSH" not in log and "48555348" not in log
