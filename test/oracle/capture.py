# SPDX-License-Identifier: BSD-3-Clause
"""Classic pcap files of Ethernet frames, written the same way each time."""

import struct

ETHERNET = 1
SNAPLEN = 262144


def read(path):
    """The frames of a pcap file of either byte order, with microseconds or nanoseconds."""
    with open(path, "rb") as file:
        data = file.read()
    for order in "<>":
        magic = struct.unpack(order + "I", data[:4])[0]
        if magic in (0xA1B2C3D4, 0xA1B23C4D):
            break
    else:
        raise ValueError(f"{path}: not a pcap file")
    linktype = struct.unpack(order + "I", data[20:24])[0]
    if linktype != ETHERNET:
        raise ValueError(f"{path}: link type {linktype}, not Ethernet")
    frames = []
    at = 24
    while at < len(data):
        caplen, origlen = struct.unpack(order + "II", data[at + 8 : at + 16])
        at += 16
        if caplen != origlen or at + caplen > len(data):
            raise ValueError(f"{path}: frame {len(frames) + 1} is cut off")
        frames.append(data[at : at + caplen])
        at += caplen
    return frames


def dump(frames):
    """The octets of a pcap file that holds frames, one a millisecond from the epoch on."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAPLEN, ETHERNET)]
    for number, frame in enumerate(frames):
        seconds, milliseconds = divmod(number, 1000)
        out.append(struct.pack("<IIII", seconds, milliseconds * 1000, len(frame), len(frame)))
        out.append(frame)
    return b"".join(out)


def write(path, frames):
    with open(path, "wb") as file:
        file.write(dump(frames))
