# SPDX-License-Identifier: BSD-3-Clause
"""What a Linux host seals: the cases, how to set them up in a lab, and traffic through them."""
import dataclasses
import random
import string

from interop import netlab, seg6, traffic
from oracle import mac

MODES = ("inline", "encap", "l2encap", "encap.red", "l2encap.red")
SECRETS = (1, 20, 32, 64)  # octets
KEY_IDS = (1, 42, 65535, 2147483647, 4294967294, 4294967295)
ENDS_MAX = 6
UDP_SIZES = (1, 64, 512, 1000)


def secret(octets, seed):
    """A secret that `ip sr hmac set` can take: printable, and not the same as another case's."""
    letters = string.ascii_letters + string.digits + "-_.!"
    return "".join(random.Random(seed).choices(letters, k=octets))


@dataclasses.dataclass(frozen=True)
class Case:
    mode: str
    algorithm: str
    segments: int  # stops on the way, the last one with inline being the destination itself
    octets: int = 20  # of the secret
    end: bool = False  # SIDs with the behaviour End, which takes nothing to the host itself

    def __str__(self):
        end = "-end" if self.end else ""
        return f"{self.mode}-{self.algorithm}-{self.segments}seg-{self.octets}octets{end}"

    @property
    def key(self):
        key_id = random.Random(str(self)).choice(KEY_IDS)
        return mac.Key(key_id, self.algorithm, "linux",
                          secret(self.octets, str(self)).encode())

    @property
    def stops(self):
        # The kernel lets a packet go from one seg6local behaviour to the next eight times at most.
        first_end = max(1, self.segments - ENDS_MAX) if self.end else self.segments
        way = [netlab.sid(i) for i in range(1, first_end)]
        way += [netlab.sid_end(i) for i in range(first_end, self.segments)]
        if self.mode == "inline":
            return way
        if self.mode.startswith("l2"):
            return way + [netlab.SID_DX2]
        return way + [netlab.SID_DT6 if self.end else netlab.sid(self.segments)]

    @property
    def carries_ipv4(self):
        return self.mode.startswith("encap") and not self.end

    def ends(self, lab):
        """Sender, receiver and destination of the traffic."""
        if self.mode.startswith("l2"):
            return lab.c, lab.d, netlab.SERVICE_L2
        return lab.a, lab.b, netlab.SERVICE


def every_case():
    """Every mode, algorithm and number of segments; secrets of each length go round."""
    number = 0
    for mode in MODES:
        for algorithm in seg6.ALGORITHMS:
            for segments in range(2 if mode == "inline" else 1, netlab.SEGMENTS_MAX + 1):
                yield Case(mode, algorithm, segments, SECRETS[number % len(SECRETS)],
                           end=mode != "inline" and bool(number // len(SECRETS) % 2))
                number += 1


def set_key(namespace, key):
    done = seg6.ip_sr_hmac_set(namespace, key.id, key.algorithm, key.secret.decode())
    assert done.returncode == 0, done.stderr


def route(lab, case, key_id=None):
    """A puts an SRH on the case's traffic, with an HMAC if there is a key."""
    if case.mode.startswith("l2"):
        lab.seal_route(case.mode, case.stops, key_id, prefix=f"{netlab.SERVICE_L2}/128")
        return
    lab.seal_route(case.mode, case.stops, key_id)
    if case.carries_ipv4:
        lab.seal_route(case.mode, case.stops, key_id, prefix=netlab.SERVICE4_PREFIX)


def exchange(lab, case, seed=0):
    """Echoes, datagrams and a connection, all of which must arrive whole."""
    sender, receiver, destination = case.ends(lab)
    assert traffic.ping(sender, destination) == 3
    assert traffic.ping(sender, destination, count=1, size=1000) == 1
    assert traffic.udp(sender, receiver, destination, UDP_SIZES, seed=seed) == len(UDP_SIZES)
    # A wraps what the client sends without telling it of the MTU that is left.
    traffic.tcp(sender, receiver, destination, 50_000, mss=1000)
    if case.carries_ipv4:
        assert traffic.ping(sender, netlab.SERVICE4) == 3
        assert traffic.udp(sender, receiver, netlab.SERVICE4, UDP_SIZES, seed=seed) == len(UDP_SIZES)
        traffic.tcp(sender, receiver, netlab.SERVICE4, 50_000)
