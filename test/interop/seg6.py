# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's HMAC keys: by generic netlink as they are, and by `ip sr hmac` as people set them.

Generic netlink is for what the tool cannot do: secrets that are not text, 65 octets, octets that
the tool cuts off when it shows them.
"""
import errno
import socket
import struct
import subprocess

from interop import netns

NETLINK_GENERIC = 16
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
CMD_SETHMAC, CMD_DUMPHMAC = 1, 2
ATTR_HMACKEYID, ATTR_SECRET, ATTR_SECRETLEN, ATTR_ALGID = 3, 4, 5, 6
ALGORITHMS = {"sha1": 1, "sha256": 2}


def _attr(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _attrs(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4 or length > len(data):
            raise ValueError("netlink attribute out of bounds")
        found[kind & 0x3FFF] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


class Genl:
    """A generic netlink socket in a namespace, talking to the SEG6 family."""

    def __init__(self, namespace=None):
        args = (socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock = netns.open_socket(namespace, *args) if namespace else socket.socket(*args)
        self.sock.settimeout(5)
        self.seq = 0
        replies = self._ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK,
                            _attr(CTRL_ATTR_FAMILY_NAME, b"SEG6\0"))
        self.family = struct.unpack("=H", replies[0][CTRL_ATTR_FAMILY_ID])[0]

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _ask(self, family, cmd, flags, payload):
        self.seq += 1
        body = struct.pack("=BBH", cmd, 1, 0) + payload
        self.sock.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST | flags,
                                   self.seq, 0) + body)
        replies = []
        while True:
            data = self.sock.recv(65536)
            while data:
                length, kind, _, seq, _ = struct.unpack_from("=IHHII", data)
                message, data = data[16:length], data[(length + 3) & ~3:]
                if seq != self.seq:
                    continue
                if kind == NLMSG_DONE:
                    return replies
                if kind == NLMSG_ERROR:
                    err = -struct.unpack_from("=i", message)[0]
                    if err:
                        raise OSError(err, errno.errorcode.get(err, str(err)))
                    return replies
                replies.append(_attrs(message[4:]))

    def set(self, key_id, algorithm, secret, secret_len=None):
        """Set a key, or delete it with an empty secret; OSError as the kernel answers."""
        number = ALGORITHMS.get(algorithm, algorithm)
        payload = _attr(ATTR_HMACKEYID, struct.pack("=I", key_id))
        payload += _attr(ATTR_SECRETLEN, bytes([len(secret) if secret_len is None
                                                else secret_len]))
        payload += _attr(ATTR_ALGID, bytes([number]))
        if secret:
            payload += _attr(ATTR_SECRET, secret)
        self._ask(self.family, CMD_SETHMAC, NLM_F_ACK, payload)

    def dump(self):
        """{key id: (algorithm number, secret)} as the kernel tells it."""
        keys = {}
        for attrs in self._ask(self.family, CMD_DUMPHMAC, NLM_F_DUMP, b""):
            key_id = struct.unpack("=I", attrs[ATTR_HMACKEYID])[0]
            keys[key_id] = (attrs[ATTR_ALGID][0], attrs[ATTR_SECRET][:attrs[ATTR_SECRETLEN][0]])
        return keys


def ip_sr_hmac_set(namespace, key_id, algorithm, secret):
    """`ip sr hmac set` as a script runs it: with no terminal, the secret comes by stdin."""
    return subprocess.run(["ip", "-n", namespace, "sr", "hmac", "set", str(key_id), algorithm],
                          input=secret + "\n", text=True, start_new_session=True,
                          capture_output=True, timeout=10, check=False)
