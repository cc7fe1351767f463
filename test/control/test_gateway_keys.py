# SPDX-License-Identifier: BSD-3-Clause
"""Keys that come, change and go while packets flow through workers."""

import os

import pytest

from control.live import SINK, TOP, Gateway, balanced, dropped, looped, settled
from linux import kernel
from segseal_client import SegsealError

FOLDER = TOP / "test" / "linux" / "captures"
SEALED = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
KEY = SEALED.key
SECRET = KEY.secret.decode()
REQUIRE = "port 0 verify require\n"


def spec(secret=SECRET, number=KEY.id, algorithm=KEY.algorithm, profile=KEY.profile):
    return {"id": number, "algorithm": algorithm, "profile": profile, "secret": secret}


@pytest.fixture(params=[1, 2], ids=["one-worker", "two-workers"])
def gateway(request, build, tmp_path):
    """A sealed capture, looped, that must verify; two receive queues if there are two workers."""
    port = looped(FOLDER / f"{SEALED.name}.pcap")
    if request.param == 2:
        port += f",rx_pcap={FOLDER / SEALED.name}.pcap"
    options = ["--rxq", "2"] if request.param == 2 else []
    sink = SINK
    with Gateway(
        build, tmp_path, [port, sink], config=REQUIRE, workers=request.param, options=options
    ) as running:
        yield running


def more(gateway, name, than=0):
    """Wait until a counter has grown."""

    def look():
        stats = gateway.stats()
        return stats[name] if name in stats else stats["drops"][name]

    return settled(look, lambda value: value > than)


def test_no_key_then_key_then_none(gateway):
    more(gateway, "key_unknown")
    assert gateway.stats()["verified"] == 0
    answer = gateway.call("key.add", **spec())
    assert answer["id"] == KEY.id and len(answer["fingerprint"]) == 16
    more(gateway, "verified", 10000)

    assert gateway.call("key.del", id=KEY.id) == {}
    gone = gateway.stats()  # nothing is accepted from the answer on
    more(gateway, "key_unknown", gone["drops"]["key_unknown"] + 10000)
    after = gateway.stats()
    assert after["verified"] == gone["verified"]
    assert after["tx"] == gone["tx"]
    assert set(dropped(after)) == {"key_unknown"}
    assert balanced(gone) and balanced(after)


def test_deleted_again_and_again(gateway):
    """The answer to key.del is a promise; hold it to that many times."""
    for _ in range(30):
        gateway.call("key.add", **spec())
        before = gateway.stats()["verified"]
        more(gateway, "verified", before)
        gateway.call("key.del", id=KEY.id)
        first = gateway.stats()
        second = settled(gateway.stats, lambda stats: stats["rx"] > first["rx"] + 500)
        assert second["verified"] == first["verified"]
        assert balanced(second)


def test_set_never_leaves_a_gap(gateway):
    gateway.call("key.add", **spec())
    more(gateway, "verified")
    gateway.call("stats.clear")
    for _ in range(300):
        gateway.call("key.set", **spec())
    more(gateway, "verified", 10000)
    stats = gateway.stats()
    assert dropped(stats) == {}
    assert stats["rx"] == stats["tx"] == stats["verified"]


def test_set_to_another_secret(gateway):
    gateway.call("key.add", **spec())
    more(gateway, "verified", 1000)
    gateway.call("key.set", **spec(secret="another"))
    first = gateway.stats()
    more(gateway, "hmac_mismatch", first["drops"]["hmac_mismatch"] + 1000)
    second = gateway.stats()
    assert second["verified"] == first["verified"]  # not by the old key, nor from a memory of it
    gateway.call("key.set", **spec())
    more(gateway, "verified", second["verified"])
    assert set(dropped(gateway.stats())) <= {"hmac_mismatch", "key_unknown"}


@pytest.mark.parametrize(
    "wrong",
    [
        spec(secret="x" * 65),
        spec(secret=""),
        spec(algorithm="md5"),
        spec(profile="windows"),
        {**spec(), "secret_hex": "00"},
        {**spec(), "sekret": "00"},
    ],
)
def test_failed_set_keeps_the_old_key(gateway, wrong):
    gateway.call("key.add", **spec())
    settled(gateway.stats, lambda stats: stats["verified"] > 0)
    gateway.call("stats.clear")
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.set", **wrong)
    assert refused.value.code == -32602
    assert "\n" not in str(refused.value)
    more(gateway, "verified", 1000)
    assert dropped(gateway.stats()) == {}


def test_errors_of_add_and_del(gateway):
    gateway.call("key.add", **spec())
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.add", **spec(secret="other"))
    assert refused.value.errno_name == "EEXIST"
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.del", id=4294967295)
    assert refused.value.errno_name == "ENOENT"
    for number in (0, -1, 4294967296, "1", 1.5, None):
        with pytest.raises(SegsealError) as refused:
            gateway.call("key.del", id=number)
        assert refused.value.code == -32602
    assert [key["id"] for key in gateway.call("key.list")["keys"]] == [KEY.id]


def test_list(gateway):
    gateway.call("key.add", **spec())
    gateway.call("key.add", **spec(number=7, algorithm="sha512", profile="rfc8754", secret="s"))
    more(gateway, "verified", 1000)
    keys = gateway.call("key.list")["keys"]
    assert [key["id"] for key in keys] == [7, KEY.id]
    idle, busy = keys
    assert (idle["algorithm"], idle["profile"], idle["secret_length"]) == ("sha512", "rfc8754", 1)
    assert idle["verified"] == 0 and idle["last_used_seconds"] is None
    assert busy["verified"] > 0 and busy["failed"] == 0 and busy["last_used_seconds"] is not None
    assert gateway.call("key.list", id=7)["keys"] == [idle]
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.list", id=8)
    assert refused.value.errno_name == "ENOENT"
    assert SECRET not in str(keys)


# --- key load


def write_keys(path, text, mode=0o600):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(text)
    path.chmod(mode)


GOOD = f"{KEY.id} sha256 linux text:{SECRET}\n"


@pytest.mark.parametrize(
    ("text", "mode", "name", "what"),
    [
        (GOOD, 0o644, "EACCES", "{path}"),
        (GOOD, 0o660, "EACCES", "{path}"),
        (GOOD + "hello\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "# c\n\n9 sha256 linux text:\n", 0o600, "EINVAL", "{path}:4: "),
        (GOOD + "9 sha256 linux text:" + "S" * 65 + "\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "9 sha256 linux hex:0\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "9 sha256 linux hex:" + "5A" * 65 + "\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "0 sha256 linux text:SSSS\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "9 md5 linux text:SSSS\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "9 sha256 bsd text:SSSS\n", 0o600, "EINVAL", "{path}:2: "),
        (GOOD + "9 sha1 linux text:SSSS\n9 sha1 linux text:SSSS\n", 0o600, None, "{path}:3: "),
        (None, 0o600, "ENOENT", "{path}"),
    ],
)
def test_bad_key_file(build, tmp_path, text, mode, name, what):
    path = tmp_path / "keys"
    port = looped(FOLDER / f"{SEALED.name}.pcap")
    with Gateway(build, tmp_path, [port, SINK], config=REQUIRE) as gateway:
        gateway.call("key.add", **spec())
        settled(gateway.stats, lambda stats: stats["verified"] > 0)
        gateway.call("stats.clear")
        if text is not None:
            write_keys(path, text, mode)
        with pytest.raises(SegsealError) as refused:
            gateway.call("key.load", path=str(path))
        assert refused.value.code == -32000
        assert what.format(path=path) in str(refused.value)
        assert name is None or refused.value.errno_name == name
        assert "\n" not in str(refused.value)
        assert "SSSS" not in str(refused.value) + gateway.log()
        assert [key["id"] for key in gateway.call("key.list")["keys"]] == [KEY.id]
        more(gateway, "verified", 1000)
        assert dropped(gateway.stats()) == {}


def test_load_replaces_the_table(gateway, tmp_path):
    path = tmp_path / "keys"
    gateway.call("key.add", **spec())
    gateway.call("key.add", **spec(number=5, secret="old"))
    more(gateway, "verified", 1000)
    gateway.call("stats.clear")
    for number in range(50):
        write_keys(path, GOOD + f"{number + 10} sha1 linux text:new\n")
        assert gateway.call("key.load", path=str(path)) == {"keys": 2}
    keys = gateway.call("key.list")["keys"]
    assert [key["id"] for key in keys] == [59, KEY.id]
    assert keys[1]["verified"] > 1000  # unchanged keys go on as they are
    more(gateway, "verified", 1000)
    assert dropped(gateway.stats()) == {}

    write_keys(path, "59 sha1 linux text:new\n")
    gateway.call("key.load", path=str(path))
    first = gateway.stats()
    more(gateway, "key_unknown", 1000)
    assert gateway.stats()["verified"] == first["verified"]


def test_relative_path_is_refused(gateway):
    with pytest.raises(SegsealError) as refused:
        gateway.call("key.load", path="keys")
    assert refused.value.code == -32602 and "absolute" in str(refused.value)
