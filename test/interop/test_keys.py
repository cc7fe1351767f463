# SPDX-License-Identifier: BSD-3-Clause
"""`key add` takes and refuses what `ip sr hmac set` and the kernel behind it take and refuse."""
import subprocess

import pytest

from interop import netlab, seg6
from interop.gateway import SEGSEALCTL, Gateway, RpcError


@pytest.fixture(scope="module")
def hosts():
    """A kernel with no keys, and a gateway with none."""
    with netlab.Lab() as lab, Gateway(lab) as gateway:
        yield lab, gateway


def by_tool(lab, key_id, algorithm, secret):
    return seg6.ip_sr_hmac_set(lab.a, key_id, algorithm, secret).returncode == 0


def by_segsealctl(gateway, verb, key_id, algorithm, secret):
    """As a script gives a secret: by standard input, with no terminal."""
    done = subprocess.run([SEGSEALCTL, "-s", gateway.socket, "key", verb, str(key_id), algorithm,
                           "linux"], input=secret + "\n", text=True, start_new_session=True,
                          capture_output=True, timeout=10, check=False)
    if done.returncode:
        assert len(done.stderr.splitlines()) == 1
        assert len(secret) < 8 or secret not in done.stderr + done.stdout
    return done.returncode == 0


@pytest.mark.parametrize("takes, key_id, algorithm, octets", (
    (True, "1", "sha1", 1),
    (True, "42", "sha256", 20),
    (True, "0x10", "sha256", 32),
    (True, "4294967295", "sha256", 64),
    (False, "0", "sha256", 20),
    (False, "4294967296", "sha256", 20),
    (False, "-1", "sha256", 20),
    (False, "42x", "sha256", 20),
    (False, "43", "sha256", 65),
    (False, "43", "md5", 20),
    (False, "43", "SHA256", 20),
))
def test_both_take_or_refuse(hosts, takes, key_id, algorithm, octets):
    lab, gateway = hosts
    secret = "s" * octets
    assert by_tool(lab, key_id, algorithm, secret) == takes
    assert by_segsealctl(gateway, "add", key_id, algorithm, secret) == takes
    with seg6.Genl(lab.a) as kernel:
        ids = set(kernel.dump())
    assert {key["id"] for key in gateway.call("key.list")["keys"]} == ids


@pytest.mark.parametrize("algorithm", ("sha384", "sha512"))
def test_algorithms_that_the_kernel_has_not(hosts, algorithm):
    """The one difference: between two gateways Linux's construction may be had with these, too."""
    lab, gateway = hosts
    assert not by_tool(lab, 800, algorithm, "secret")
    assert by_segsealctl(gateway, "add", 800, algorithm, "secret")
    gateway.call("key.del", id=800)


def in_kernel(lab, key_id, algorithm, secret):
    with seg6.Genl(lab.a) as kernel:
        try:
            kernel.set(key_id, algorithm, secret)
            return "taken"
        except OSError as error:
            return str(error).split()[-1]


def in_gateway(gateway, method, **params):
    try:
        gateway.call(method, **params)
        return "taken"
    except RpcError as error:
        return error.errno or "EINVAL"


@pytest.mark.parametrize("secret", (b"\0", bytes(range(64)), b"\xff" * 20, b"\n \" \\"),
                         ids=("nul", "64", "ff", "quotes"))
def test_secrets_that_are_no_text(hosts, secret):
    lab, gateway = hosts
    assert in_kernel(lab, 900, "sha256", secret) == "taken"
    assert in_gateway(gateway, "key.set", id=900, algorithm="sha256", profile="linux",
                      secret_hex=secret.hex()) == "taken"


@pytest.mark.parametrize("key_id, octets", ((0, 20), (901, 65)))
def test_the_kernel_itself_refuses_the_same(hosts, key_id, octets):
    """Without a tool in front of either."""
    lab, gateway = hosts
    secret = b"s" * octets
    assert in_kernel(lab, key_id, "sha256", secret) == "EINVAL"
    assert in_gateway(gateway, "key.add", id=key_id, algorithm="sha256", profile="linux",
                      secret_hex=secret.hex()) == "EINVAL"


def test_deleting_an_absent_key(hosts):
    lab, gateway = hosts
    assert in_kernel(lab, 902, "sha256", b"") == "ENOENT"
    assert in_gateway(gateway, "key.del", id=902) == "ENOENT"


def test_deleting_a_key(hosts):
    lab, gateway = hosts
    assert by_tool(lab, 903, "sha1", "secret") and by_tool(lab, 903, "sha1", "")
    assert in_kernel(lab, 903, "sha1", b"") == "ENOENT"
    assert by_segsealctl(gateway, "add", 903, "sha1", "secret")
    assert in_gateway(gateway, "key.del", id=903) == "taken"
    assert in_gateway(gateway, "key.del", id=903) == "ENOENT"


def test_an_empty_secret_deletes_nothing_here(hosts):
    """To the kernel an empty secret says "delete"; to `key add` and `key set` it is a mistake."""
    _, gateway = hosts
    assert by_segsealctl(gateway, "add", 904, "sha256", "kept")
    for verb in ("add", "set"):
        assert not by_segsealctl(gateway, verb, 904, "sha256", "")
    assert gateway.call("key.list", id=904)["keys"][0]["secret_length"] == 4


def test_setting_a_key_again_replaces_it(hosts):
    lab, gateway = hosts
    for secret, octets in (("first", 5), ("second", 6)):
        assert by_tool(lab, 905, "sha256", secret)
        assert by_segsealctl(gateway, "set", 905, "sha256", secret)
        with seg6.Genl(lab.a) as kernel:
            assert len(kernel.dump()[905][1]) == octets
        assert gateway.call("key.list", id=905)["keys"][0]["secret_length"] == octets
    assert not by_segsealctl(gateway, "add", 905, "sha256", "third")


def test_a_replacement_that_fails_keeps_the_old_key_here(hosts):
    """The kernel has deleted the old key by the time that it refuses the new one."""
    lab, gateway = hosts
    assert by_tool(lab, 906, "sha256", "old secret")
    assert by_segsealctl(gateway, "add", 906, "sha256", "old secret")
    before = gateway.call("key.list", id=906)
    assert in_kernel(lab, 906, 99, b"new secret") == "EINVAL"
    assert not by_segsealctl(gateway, "set", 906, "sha999", "new secret")
    assert gateway.call("key.list", id=906) == before
