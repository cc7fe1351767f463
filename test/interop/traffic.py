# SPDX-License-Identifier: BSD-3-Clause
"""Traffic between namespaces that proves what arrived, and captures of what was on the wire."""
import contextlib
import hashlib
import mmap
import os
import random
import select
import socket
import struct
import threading
import time
from collections import Counter

from interop import netns
from oracle import edit, parse

ETH_P_ALL = 3
SOL_PACKET, PACKET_RX_RING, PACKET_VERSION, TPACKET_V2 = 263, 5, 10, 1
PACKET_OUTGOING = 4
TCP_CLOSE = 7
ETHER = 14
SO_RCVBUFFORCE, SO_MAX_PACING_RATE = 33, 47
TP_STATUS_USER, TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 1, 1 << 4, 1 << 6


def has_srh(frame):
    return parse.find(frame).srh > 0


def is_sealed(frame, key):
    """Whether the frame's only HMAC TLV is this key's, and right."""
    found = parse.find(frame)
    return (found.status == "found" and found.hmac > 0 and found.hmac_key == key.id
            and found.linux_hmac == (key.profile == "linux")
            and found.hmac_value == edit.expected_tag(key, found))


def same(frames, others):
    """
    Whether both are the same frames, octet for octet. Their order is not compared: what several
    processors send into a veth device may leave it in another one.
    """
    extra, missing = Counter(frames) - Counter(others), Counter(others) - Counter(frames)
    for name, some in (("extra", extra), ("missing", missing)):
        for frame, times in some.items():
            print(f"{name}, {times} times: {frame.hex()}")
    return not extra and not missing


class Capture:
    """
    Frames that pass an interface, whole, in order, from the moment it is made.

    They are read from a ring, into which the kernel copies a frame when it passes: a socket without
    one shares the octets with the packet on its way, and seg6local changes them under its eyes.
    """

    FRAME, BLOCK, BLOCKS = 2048, 1 << 16, 128

    def __init__(self, namespace, dev, outgoing, wanted=None):
        self.frames = []
        self.outgoing = outgoing
        self.wanted = wanted or has_srh
        self.at = 0
        self.sock = netns.open_socket(namespace, socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        self.count = self.BLOCK // self.FRAME * self.BLOCKS
        self.sock.setsockopt(SOL_PACKET, PACKET_RX_RING, struct.pack(
            "=IIII", self.BLOCK, self.BLOCKS, self.FRAME, self.count))
        self.ring = mmap.mmap(self.sock.fileno(), self.BLOCK * self.BLOCKS)
        self.sock.bind((dev, ETH_P_ALL))

    def _take(self):
        """Take one frame out of the ring; False if there is none."""
        at = self.at * self.FRAME
        status, length, there, mac, net, _, _, tci, tpid = struct.unpack_from("=IIIHHIIHH",
                                                                              self.ring, at)
        if not status & TP_STATUS_USER:
            return False
        kind = self.ring[at + 32 + 10]  # of the sockaddr_ll behind the header
        frame = self.ring[at + mac:at + mac + there]
        struct.pack_into("=I", self.ring, at, 0)
        self.at = (self.at + 1) % self.count
        if (kind == PACKET_OUTGOING) != self.outgoing:
            return True
        if net - mac > ETHER and not self.outgoing:
            return True  # decapsulated and received once more, its old headers before it
        assert there == length, f"a frame of {length} octets is longer than the ring's"
        if status & TP_STATUS_VLAN_VALID:  # the kernel took the tag out
            tpid = tpid if status & TP_STATUS_VLAN_TPID_VALID else 0x8100
            frame = frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
        if self.wanted(frame):
            self.frames.append(frame)
        return True

    def wait(self, count, timeout=10):
        """All frames so far, having waited until there are count of them or time is over."""
        end = time.monotonic() + timeout
        while True:
            while self._take():
                pass
            left = end - time.monotonic()
            if len(self.frames) >= count or left <= 0:
                return self.frames
            select.select([self.sock], [], [], left)

    def close(self):
        self.ring.close()
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def settle(*captures, least=1, quiet=0.1, timeout=10):
    """
    The frames of each capture along one way, once they have as many, at least some, and none has
    come for a moment; or what there is when time is over.
    """
    end = time.monotonic() + timeout
    before = None
    while True:
        counts = [len(capture.wait(0)) for capture in captures]
        done = counts == before and min(counts) >= least and len(set(counts)) == 1
        if done or time.monotonic() > end:
            return [capture.frames for capture in captures]
        before = counts
        captures[0].wait(counts[0] + 1, quiet)


def from_a(lab, **kwargs):
    return Capture(lab.a, "a0", outgoing=True, **kwargs)


def to_a(lab, **kwargs):
    return Capture(lab.a, "a0", outgoing=False, **kwargs)


def between_gateways(lab, **kwargs):
    return Capture(lab.gateways[1], "g0", outgoing=False, **kwargs)


def to_b(lab, **kwargs):
    return Capture(lab.b, "b0", outgoing=False, **kwargs)


def from_b(lab, **kwargs):
    return Capture(lab.b, "b0", outgoing=True, **kwargs)


def _checksum(octets):
    words = struct.unpack(f"!{len(octets) // 2}H", octets[:len(octets) // 2 * 2])
    total = sum(words) + (octets[-1] << 8 if len(octets) % 2 else 0)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Echo:
    """ICMP echo by either version of IP."""

    def __init__(self, namespace, destination):
        self.v4 = "." in destination
        self.request, self.reply = (8, 0) if self.v4 else (128, 129)
        self.ident = random.randrange(1, 1 << 16)
        family, protocol = (socket.AF_INET, socket.IPPROTO_ICMP) if self.v4 else (
            socket.AF_INET6, socket.IPPROTO_ICMPV6)
        self.sock = netns.open_socket(namespace, family, socket.SOCK_RAW, protocol)

    def message(self, kind, number, payload):
        octets = struct.pack("!BBHHH", kind, 0, 0, self.ident, number) + payload
        if self.v4:  # ICMPv6 checksums are the kernel's affair
            octets = octets[:2] + struct.pack("!H", _checksum(octets)) + octets[4:]
        return octets

    def received(self):
        octets = self.sock.recv(65536)
        return octets[(octets[0] & 15) * 4:] if self.v4 else octets


def ping(namespace, destination, count=3, size=56, wait=10, source=None):
    """How many of so many echo requests were answered with the very octets."""
    echo = Echo(namespace, destination)
    with echo.sock as sock:
        if source:
            sock.bind((source, 0))
        asked = {}
        for number in range(count):
            payload = os.urandom(size)
            asked[echo.message(echo.reply, number, payload)[4:]] = number
            sock.sendto(echo.message(echo.request, number, payload), (destination, 0))
        answered = set()
        end = time.monotonic() + wait
        while len(answered) < count and (left := end - time.monotonic()) > 0:
            sock.settimeout(left)
            with contextlib.suppress(TimeoutError):
                octets = echo.received()
                if octets[0] == echo.reply and octets[4:] in asked:
                    answered.add(asked[octets[4:]])
        return len(answered)


def _family(destination):
    return socket.AF_INET6 if ":" in destination else socket.AF_INET


def udp(sender, receiver, destination, sizes, timeout=10, seed=0):
    """Send a datagram of random octets of each size; how many arrived, whole, in any order."""
    family = _family(destination)
    payloads = [random.Random(f"{seed}/{i}/{size}").randbytes(size)
                for i, size in enumerate(sizes)]
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(netns.open_socket(receiver, family, socket.SOCK_DGRAM))
        source = stack.enter_context(netns.open_socket(sender, family, socket.SOCK_DGRAM))
        sink.bind((destination, 0))
        sink.settimeout(timeout)
        arrived = []
        for payload in payloads:
            source.sendto(payload, sink.getsockname()[:2])
        with contextlib.suppress(TimeoutError):
            while len(arrived) < len(payloads):
                arrived.append(sink.recv(65536))
        if Counter(arrived) - Counter(payloads):
            raise AssertionError("UDP: what arrived is not what was sent")
        return len(arrived)


class TcpTransfer(threading.Thread):
    """
    One TCP connection that carries data that repeats nowhere one way, and its digest back: at least
    `octets`, for at least `least_seconds`.
    """

    BLOCK = 1 << 20

    def __init__(self, sender, receiver, destination, octets, timeout=30, mss=None, source=None,
                 least_seconds=0, pace=None):
        super().__init__(daemon=True)
        self.octets = octets
        self.least_seconds = least_seconds
        self.sent = 0
        self.received = 0
        self.error = None
        self.seconds = None
        family = _family(destination)
        self.listener = netns.open_socket(receiver, family, socket.SOCK_STREAM)
        self.listener.bind((destination, 0))
        self.listener.listen(1)
        self.client = netns.open_socket(sender, family, socket.SOCK_STREAM)
        if source:
            self.client.bind((source, 0))
        if pace:  # octets a second
            self.client.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, pace)
        if mss:
            self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, mss)
        for sock in (self.listener, self.client):
            sock.settimeout(timeout)

    def _serve(self):
        with self.listener, self.listener.accept()[0] as sock:
            sock.settimeout(self.client.gettimeout())
            digest = hashlib.sha256()
            while block := sock.recv(self.BLOCK):
                digest.update(block)
                self.received += len(block)
            sock.sendall(digest.digest())
            sock.shutdown(socket.SHUT_WR)
            self._wait_for_last_ack(sock)

    @staticmethod
    def _wait_for_last_ack(sock):
        """After it nothing of the connection is on its way, or will be."""
        end = time.monotonic() + sock.gettimeout()
        while sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != TCP_CLOSE:
            if time.monotonic() > end:
                raise TimeoutError("the last acknowledgement does not arrive")
            time.sleep(0.001)

    def run(self):
        try:
            self._run()
        except (OSError, AssertionError) as error:
            self.error = error

    def _run(self):
        server_error = []

        def serve():
            try:
                self._serve()
            except OSError as error:
                server_error.append(error)

        server = threading.Thread(target=serve, daemon=True)
        began = time.monotonic()
        server.start()
        digest = hashlib.sha256()
        block = os.urandom(self.BLOCK)
        with self.client as sock:
            sock.connect(self.listener.getsockname()[:2])
            while self.sent < self.octets or time.monotonic() < began + self.least_seconds:
                piece = self.sent.to_bytes(8, "big") + block[8:]
                if self.sent < self.octets:
                    piece = piece[:self.octets - self.sent]
                digest.update(piece)
                sock.sendall(piece)
                self.sent += len(piece)
            sock.shutdown(socket.SHUT_WR)
            answer = b""
            while more := sock.recv(64):
                answer += more
        server.join()
        self.seconds = time.monotonic() - began
        if server_error:
            raise server_error[0]
        assert self.received == self.sent, f"{self.received} of {self.sent} octets arrived"
        assert answer == digest.digest(), "the digests differ"


def tcp(sender, receiver, destination, octets, timeout=30, mss=None):
    """Carry octets over one TCP connection; an error if a single one is missing or wrong."""
    transfer = TcpTransfer(sender, receiver, destination, octets, timeout, mss)
    transfer.run()
    if transfer.error:
        raise AssertionError(f"TCP to {destination}: {transfer.error}")
    return transfer


class UdpStream(threading.Thread):
    """Numbered datagrams, one every `interval` seconds until stop(), and which of them arrived."""

    def __init__(self, sender, receiver, destination, interval=0.001, size=200, source=None):
        super().__init__(daemon=True)
        self.interval, self.size = interval, size
        self.sent = 0
        self.arrived = []
        self.ending = threading.Event()
        family = _family(destination)
        self.sink = netns.open_socket(receiver, family, socket.SOCK_DGRAM)
        self.sink.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        self.sink.bind((destination, 0))
        self.sink.settimeout(0.5)
        self.source = netns.open_socket(sender, family, socket.SOCK_DGRAM)
        if source:
            self.source.bind((source, 0))

    def run(self):
        address = self.sink.getsockname()[:2]
        while not self.ending.wait(self.interval):
            self.source.sendto(self.sent.to_bytes(8, "big").ljust(self.size, b"."), address)
            self.sent += 1

    def stop(self):
        """Numbers of those that did not arrive."""
        self.ending.set()
        self.join()
        with contextlib.suppress(TimeoutError):
            while True:
                self.arrived.append(int.from_bytes(self.sink.recv(self.size)[:8], "big"))
        self.sink.close()
        self.source.close()
        return sorted(set(range(self.sent)) - set(self.arrived))
