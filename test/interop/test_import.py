# SPDX-License-Identifier: BSD-3-Clause
"""`segsealctl key import-linux` takes over the keys of the running kernel."""
import pytest

from interop import cases, netlab, seg6, traffic
from interop.gateway import SEGSEALCTL, Gateway
from oracle import mac

KEYS = [mac.Key(1, "sha1", "linux", b"one-octet-more-than-9"),
        mac.Key(42, "sha256", "linux", b"fortytwo-fortytwo-fortytwo"),
        mac.Key(64, "sha256", "linux", b"sixty-four-octets-" + b"x" * 46),
        mac.Key(65, "sha1", "linux", bytes(range(1, 33))),
        mac.Key(4294967295, "sha256", "linux", b"\0nul\0first\0")]


@pytest.fixture
def gateway(lab):
    lab.require_hmac(-1)  # B has none of the keys
    with seg6.Genl(lab.a) as kernel:
        for key_id in kernel.dump():
            kernel.set(key_id, "sha1", b"")
    with Gateway(lab, config=["port 0 verify require"]) as made:
        yield made


def fill(lab, keys=KEYS):
    with seg6.Genl(lab.a) as kernel:
        for key in keys:
            kernel.set(key.id, key.algorithm, key.secret)


def import_linux(lab, gateway, *words, check=True):
    done = gateway.ctl("key", "import-linux", *words, namespace=lab.a, check=check)
    for key in KEYS:  # printable secrets would be seen as they are, the others in hex
        for shown in (key.secret.decode("latin-1"), key.secret.hex()):
            assert shown not in done.stdout + done.stderr
    return done


def listed(gateway):
    return {key["id"]: key for key in gateway.call("key.list")["keys"]}


def test_all_keys_are_taken_whole(lab, gateway):
    fill(lab)
    done = import_linux(lab, gateway)
    got = listed(gateway)
    assert {number: (key["algorithm"], key["profile"], key["secret_length"])
            for number, key in got.items()} == {
                key.id: (key.algorithm, "linux", len(key.secret)) for key in KEYS}
    for key in KEYS:
        assert any(line.split()[:1] == [str(key.id)] and "taken" in line
                   for line in done.stdout.splitlines())
    # The fingerprints are those of the secrets, not of something like them.
    for key in KEYS:
        gateway.set_key(key)
    assert {n: key["fingerprint"] for n, key in listed(gateway).items()} == {
        n: key["fingerprint"] for n, key in got.items()}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.id))
def test_traffic_of_an_imported_key_is_verified(lab, gateway, key):
    fill(lab, [key])
    import_linux(lab, gateway)
    lab.seal_route("encap", [netlab.sid(1)], key.id)
    assert traffic.udp(lab.a, lab.b, netlab.SERVICE, cases.UDP_SIZES) == len(cases.UDP_SIZES)
    assert gateway.settled(verified=len(cases.UDP_SIZES))["verified"] == len(cases.UDP_SIZES)
    assert gateway.drops() == {}


def test_an_id_that_is_in_use_is_not_overwritten(lab, gateway):
    fill(lab, KEYS[:2])
    gateway.call("key.add", id=42, algorithm="sha256", profile="rfc8754", secret="mine")
    before = listed(gateway)[42]
    done = import_linux(lab, gateway, check=False)
    assert done.returncode == 1
    assert "42" in done.stdout and "1 of 2" in done.stderr
    got = listed(gateway)
    assert got[42] == before and got[1]["profile"] == "linux"


def test_no_keys_is_said(lab, gateway):
    done = import_linux(lab, gateway)
    assert "no keys" in done.stdout.lower()
    assert listed(gateway) == {}


def test_without_the_right_to_read_keys(lab, gateway):
    """CAP_NET_ADMIN is needed, as for `ip sr hmac show`."""
    fill(lab)
    done = netlab.run("setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin",
                      str(SEGSEALCTL), "-s", str(gateway.socket), "key", "import-linux",
                      namespace=lab.a, check=False)
    assert done.returncode == 1
    assert "CAP_NET_ADMIN" in done.stderr and len(done.stderr.splitlines()) == 1
    assert listed(gateway) == {}
