# SPDX-License-Identifier: BSD-3-Clause
"""linux: what the kernel's own HMAC costs.

One UDP socket sends through a `seg6` route with `hmac`, another through one without, by turns, from
a network namespace to a device that takes and forgets all. The difference of the times that the
sending thread was on its CPU is the HMAC with all that the kernel does for it. Before that, a
packet of each is captured: the one has the HMAC that Python's hmac computes, the other has none.
"""

import contextlib
import ctypes
import os
import select
import socket
import time

from benches import Unusable, Wrong, frames
from benches.forwarders import Segseal
from benches.rows import row
from interop import netlab, netns, seg6
from oracle import edit, mac, parse

KEY_ID = 1001
ALGORITHMS = ("sha1", "sha256")  # the kernel has no others
SOURCE = "fd5e::a"
SINKS = ("dummy", "ifb")
PORT = 4242
PAYLOAD = b"segseal"
BATCH = 64  # messages in a sendmmsg()
ETH_P_ALL = 3
SEGMENTS = (1, 2, 3, 6, 10, 14)
WAYS = {"plain": "fd5e:0::/64", "seg6": "fd5e:1::/64", "seg6 hmac": "fd5e:2::/64"}


class Message(ctypes.Structure):
    """struct mmsghdr of a connected socket."""

    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("iov", ctypes.c_void_p),
        ("iov_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_long),  # an int and padding
        ("sent", ctypes.c_uint),
    ]


class Piece(ctypes.Structure):
    """struct iovec."""

    _fields_ = [("base", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Sender:
    """Sends one datagram over and over, BATCH in a system call."""

    libc = ctypes.CDLL(None, use_errno=True)

    def __init__(self, sock, payload=PAYLOAD):
        self.sock = sock
        self.piece = Piece(payload, len(payload))
        address = ctypes.addressof(self.piece)
        self.messages = (Message * BATCH)(*[Message(iov=address, iov_count=1)] * BATCH)

    def send(self, calls):
        """CPU seconds of this thread for each datagram."""
        sendmmsg, fd, messages = self.libc.sendmmsg, self.sock.fileno(), self.messages
        began = time.thread_time_ns()
        for _ in range(calls):
            if sendmmsg(fd, messages, BATCH, 0) != BATCH:
                raise Wrong(f"sendmmsg: {os.strerror(ctypes.get_errno())}")
        return (time.thread_time_ns() - began) / 1e9 / calls / BATCH


def sids(count):
    return [f"fc00:b:{number:x}::1" for number in range(1, count + 1)]


class Namespace:
    """A host that seals, with a wire to nowhere."""

    def __init__(self, algorithm):
        self.name = f"{netlab.PREFIX}-bench-{os.getpid()}"
        netlab.run("ip", "netns", "add", self.name)
        try:
            self.build(algorithm)
        except BaseException:
            self.close()
            raise

    def build(self, algorithm):
        netlab.sysctl(self.name, all__accept_dad=0, default__accept_dad=0)
        self.device()
        netlab.ip(
            self.name,
            "link set lo up",
            "link set out up",
            f"address add {SOURCE}/128 dev out nodad",
            "route add fc00:b::/32 dev out",
        )
        netlab.wait_for_addresses(self.name)
        netlab.run("ip", "-n", self.name, "sr", "tunsrc", "set", SOURCE)
        with seg6.Genl(self.name) as genl:
            genl.set(KEY_ID, algorithm, frames.SECRET.encode())

    def device(self):
        """One that takes what it is given, without a queue, and forgets it."""
        failures = []
        for kind in SINKS:
            try:
                return netlab.ip(self.name, f"link add out txqueuelen 0 type {kind}")
            except RuntimeError as error:
                failures.append(str(error))
        raise RuntimeError(f"no device of type {' or '.join(SINKS)}: {failures[-1]}")

    def routes(self, segments):
        path = ",".join(sids(segments))
        seal = f"encap seg6 mode encap segs {path}"
        netlab.ip(
            self.name,
            f"route replace {WAYS['plain']} dev out",
            f"route replace {WAYS['seg6']} {seal} dev out",
            f"route replace {WAYS['seg6 hmac']} {seal} hmac {KEY_ID} dev out",
        )

    def socket(self, way):
        """A socket whose datagrams go that way."""
        sock = netns.open_socket(self.name, socket.AF_INET6, socket.SOCK_DGRAM)
        sock.connect((WAYS[way].replace("/64", "1"), PORT))
        return sock

    def capture(self, send):
        """The frame with PAYLOAD that leaves when send() is called."""
        with netns.open_socket(
            self.name, socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)
        ) as tap:
            tap.bind(("out", 0))
            send()
            while select.select([tap], [], [], 20)[0]:
                frame = tap.recv(65536)
                if frame.endswith(PAYLOAD):
                    return frame
            raise Wrong("no packet leaves the namespace")

    def close(self):
        netlab.run("ip", "netns", "del", self.name, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def look(namespace, sockets, segments, algorithm):
    """Each way is what it is called."""
    key = mac.Key(KEY_ID, algorithm, mac.LINUX, frames.SECRET.encode())
    for way, sock in sockets.items():
        found = parse.find(namespace.capture(lambda sock=sock: sock.send(PAYLOAD)))
        has_srh = found.status == "found"
        if has_srh != (way != "plain") or (has_srh and found.last != segments - 1):
            raise Wrong(f"{way}: not an SRH of {segments} segments: {found.frame.hex()}")
        if (found.hmac != 0) != (way == "seg6 hmac"):
            raise Wrong(f"{way}: an HMAC too many or too few: {found.frame.hex()}")
        if found.hmac and found.hmac_value != edit.expected_tag(key, found):
            raise Wrong(f"{way}: a wrong HMAC: {found.frame.hex()}")


def measure(options, namespace, segments, algorithm, hz):
    namespace.routes(segments)
    with contextlib.ExitStack() as stack:
        sockets = {way: stack.enter_context(namespace.socket(way)) for way in WAYS}
        look(namespace, sockets, segments, algorithm)
        senders = {way: Sender(sock) for way, sock in sockets.items()}
        found = {way: [] for way in WAYS}
        for number in range(options.rounds + 1):
            for way, sender in senders.items():
                seconds = sender.send(options.calls)
                if number > 0:  # the first round is for nothing
                    found[way].append(seconds * hz)
    found["hmac"] = [
        sealed - bare for sealed, bare in zip(found["seg6 hmac"], found["seg6"])
    ]
    for case, cycles in found.items():
        yield row("linux", case, cycles, algorithm=algorithm, profile=mac.LINUX,
                  segments=segments, burst=1)


def why_not(algorithm):
    if algorithm not in ALGORITHMS:
        raise Unusable(f"the kernel has no {algorithm}")
    if os.geteuid():
        raise Unusable("only root can make network namespaces")
    if not os.path.exists("/proc/sys/net/ipv6/conf/all/seg6_require_hmac"):
        raise Unusable("the kernel has no SRv6 HMAC (CONFIG_IPV6_SEG6_HMAC)")


def tsc_hz(options, folder):
    path = frames.write(folder / "hz.pcap", frames.sealed(1))
    with Segseal("hz", options.build, folder, path, "", "unchecked") as forwarder:
        return forwarder.hz()


def run(options, folder):
    why_not(options.algorithm)
    hz = tsc_hz(options, folder)
    try:
        namespace = Namespace(options.algorithm)
    except (RuntimeError, OSError) as error:
        raise Unusable(f"no namespace with a key: {error}") from error
    with namespace:
        for segments in options.segments or SEGMENTS:
            yield from measure(options, namespace, segments, options.algorithm, hz)
