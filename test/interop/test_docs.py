# SPDX-License-Identifier: BSD-3-Clause
"""docs/linux-interop.md: what it says to type, typed on hosts that know nothing yet."""
import re

import pytest

from interop import netlab, seg6, traffic
from interop.gateway import SEGSEALCTL, TOP, Gateway

DOCUMENT = TOP / "docs/linux-interop.md"


def blocks():
    """{number of a step: its blocks of commands}"""
    steps = re.split(r"^### (\d+)\..*$", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)
    return {int(number): re.findall(r"^```\n(.*?)^```$", text, flags=re.M | re.S)
            for number, text in zip(steps[1::2], steps[2::2])}


STEPS = blocks()


@pytest.fixture(scope="module")
def hosts():
    """A lab without what the steps set up."""
    with netlab.Lab() as lab:
        netlab.ip(lab.a, f"route del {netlab.SID_PREFIX}", f"route del {netlab.SERVICE_PREFIX}")
        netlab.ip(lab.b, f"address del {netlab.SERVICE}/128 dev lo",
                  *(f"address del {netlab.sid(i)}/128 dev lo" for i in (1, 2)))
        netlab.sysctl(lab.b, all__seg6_enabled=0, b0__seg6_enabled=0)
        with Gateway(lab) as gateway:
            yield lab, gateway


def type_in(block, namespace, dev, gateway):
    """Run a block's lines as a script that has no terminal."""
    script = block.replace("eth0", dev)
    script = re.sub(r"^segsealctl|(?<=\| )segsealctl", f"{SEGSEALCTL} -s {gateway.socket}", script,
                    flags=re.M)
    return netlab.run("sh", "-e", "-c", script, namespace=namespace).stdout


def arrives(lab):
    return traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200), timeout=0.5)


def test_steps_in_order(hosts):
    lab, gateway = hosts
    for block in STEPS[1]:
        type_in(block, lab.a, "a0", gateway)
    for block in STEPS[2]:
        type_in(block, lab.b, "b0", gateway)
    netlab.wait_for_addresses(lab.b)
    assert arrives(lab) == 2
    assert gateway.settled(unchecked=2)["unchecked"] >= 2

    assert re.search(r"^ *1001 .*taken$", type_in(STEPS[3][0], lab.a, "a0", gateway), flags=re.M)
    gateway.call("key.del", id=1001)
    type_in(STEPS[3][1], lab.a, "a0", gateway)

    gateway.clear()
    for block in STEPS[4]:
        assert "verified" in type_in(block, lab.a, "a0", gateway)
    assert arrives(lab) == 2
    assert gateway.settled(verified=2)["verified"] == 2

    # The route without "hmac": the gateway that still requires one drops, then it seals.
    (route,) = [line for line in STEPS[1][1].splitlines() if "hmac" in line]
    type_in(route.replace(" hmac 1001", "").replace("route add", "route replace"), lab.a, "a0",
            gateway)
    assert arrives(lab) == 0
    for block in STEPS[5]:
        type_in(block, lab.a, "a0", gateway)
    gateway.clear()
    assert arrives(lab) == 2
    assert gateway.settled(inserted=2)["inserted"] == 2


def test_step_6_is_accepted(hosts, tmp_path):
    lab, gateway = hosts
    with seg6.Genl(lab.a) as kernel:
        for key_id in kernel.dump():
            kernel.set(key_id, "sha1", b"")
    secret = tmp_path / "secret"
    secret.write_bytes(b"of the RFC 8754 domain\n")
    for block in STEPS[6]:
        type_in(block.replace("PATH", str(secret)), lab.a, "a0", gateway)
    (port,) = gateway.call("port.list", port=0)["ports"]
    assert (port["verify"], port["strip"], port["insert"]) == ("require", True, 7)
