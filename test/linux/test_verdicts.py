# SPDX-License-Identifier: BSD-3-Clause
"""The gateway's verdict on 70 packets against the kernel's, in the three modes: the same, or a row
in docs/stricter-than-linux.md says why not. Never laxer about an HMAC."""

from pathlib import Path

from linux import kernel
from oracle import gateway

KEYS, PACKETS = kernel.verdicts()
DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "stricter-than-linux.md"


def rows(heading):
    """The table below a heading, each row as a list of its cells."""
    section = DOCUMENT.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def by_packet(table):
    """{(packet, path, mode): the other cells}"""
    out = {}
    for name, path, modes, *rest in table:
        for mode in modes.split(", "):
            assert (name, path, mode) not in out, "a row stands twice"
            out[name, path, mode] = rest
    return out


STRICTER = by_packet(rows("Dropped here, accepted by Linux"))
LEFT = by_packet(rows("Dropped by Linux whatever the mode, left to it here"))


def numbered(number, frame):
    """The frame with its number as source MAC address, so that it is known when it comes out."""
    return frame[:6] + number.to_bytes(6, "big") + frame[12:]


def let_through(judge, frames, mode):
    """The numbers of the frames that pass."""
    sent = [numbered(number, frame) for number, frame in enumerate(frames)]
    out, counters = judge(gateway.Config(keys=KEYS, verify=mode), sent)
    assert counters["rx"] == len(frames)
    assert set(out) <= set(sent), "verification changed a packet"
    return {int.from_bytes(frame[6:12], "big") for frame in out}


def reason(judge, frame, mode):
    """What a packet is dropped for, alone."""
    out, counters = judge(gateway.Config(keys=KEYS, verify=mode), [frame])
    assert out == []
    (name,) = [name for name, n in counters["drops"].items() if n]
    return name


def test_there_are_70_packets():
    assert len(PACKETS) == 70
    assert len({str(packet) for packet in PACKETS}) == 70


def test_verdicts(judge):
    stricter, laxer = {}, set()
    for mode in kernel.MODES.values():
        passed = let_through(judge, [packet.frame for packet in PACKETS], mode)
        for number, packet in enumerate(PACKETS):
            case = (packet.name, packet.path, mode)
            if packet.accepted[mode] and number not in passed:
                stricter[case] = reason(judge, packet.frame, mode)
            elif not packet.accepted[mode] and number in passed:
                laxer.add(case)
    assert stricter == {case: cells[0] for case, cells in STRICTER.items()}
    assert laxer == set(LEFT)


def test_what_is_left_to_linux_is_no_hmac_verdict():
    """Linux drops it without looking at HMACs, too; and where the gateway does look, the kernel
    takes the packet of the same name when it is sent to an address of its own."""
    packets = {(packet.name, packet.path): packet for packet in PACKETS}
    for name, path, mode in LEFT:
        packet = packets[name, path]
        assert not packet.accepted[gateway.OFF]
        if mode != gateway.OFF:
            other = packets[name, "local-address"]
            assert path != "local-address" and other.accepted[mode]


def test_each_row_gives_a_reason():
    assert STRICTER and LEFT
    for cells in [*STRICTER.values(), *LEFT.values()]:
        assert len(cells[-1]) > 4 or cells[-1] == "The same."
