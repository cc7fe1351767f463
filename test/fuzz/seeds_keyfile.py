# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of fuzz_keyfile.c: one octet for the error's room, then a file; \\1 stands for a secret."""

GOOD = b"""# ID ALGORITHM PROFILE SECRET
1001 sha256 linux   text:\1

0x2a sha1\trfc8754 hex:30313233343536373839616263646566
4294967295 sha512 rfc8754 text: blanks and # belong to it\x20
 7 sha384 linux hex:Ff  \t
"""

FILES = {
    "good": GOOD,
    "no-newline": GOOD + b"8 sha1 linux text:x",
    "windows": b"""1 sha1 linux accept=2026-12-01T06:00:00Z..2027-01-01T00:00:00Z text:\1
2 sha1 linux send=+1h..+7d accept=..+30m hex:00
3 sha1 linux accept=.. send=2024-02-29T23:59:59Z.. text:accept=..
""",
    "window-twice": b"1 sha1 linux accept=.. accept=.. text:\1\n",
    "window-backwards": b"1 sha1 linux send=+2h..+1h text:\1\n",
    "window-date": b"1 sha1 linux send=2026-02-30T00:00:00Z.. text:\1\n",
    "window-secret": b"1 sha1 linux accept=\1..\1 text:\1\n",
    "empty": b"",
    "comments": b"#\n  # \0\xff\n\n\t\n",
    "twice": b"1 sha1 linux text:\1\n\n0x1 sha256 rfc8754 text:\1\n",
    "id-0": b"0 sha1 linux text:\1\n",
    "id-large": b"4294967296 sha1 linux text:\1\n",
    "id-octal": b"010 sha1 linux text:\1\n",
    "id-secret": b"\1 sha1 linux text:x\n",
    "algorithm": b"1 \1 linux text:x\n",
    "algorithm-missing": b"1\n",
    "profile": b"1 sha1 \1 text:x\n",
    "profile-missing": b"1 sha1 \n",
    "secret-bare": b"1 sha1 linux \1\n",
    "secret-missing": b"1 sha1 linux\n",
    "text-0": b"1 sha1 linux text:\n",
    "text-64": b"1 sha1 linux text:" + b"s" * 64 + b"\n",
    "text-65": b"1 sha1 linux text:" + b"s" * 65 + b"\n",
    "hex-0": b"1 sha1 linux hex:\n",
    "hex-64": b"1 sha1 linux hex:" + b"a5" * 64 + b"\n",
    "hex-65": b"1 sha1 linux hex:" + b"a5" * 65 + b"\n",
    "hex-odd": b"1 sha1 linux hex:abc\n",
    "hex-junk": b"1 sha1 linux hex:ab\1\n",
    "hex-two": b"1 sha1 linux hex:ab cd\n",
    "nul": b"1 sha1 linux text:\1\0\n",
    "crlf": b"1 sha1 linux text:\1\r\n",
    "long-line": b"1 sha1 linux text:" + b"\1" * 100 + b"\n",
    "binary": b"1 sha1 linux text:\xff\xfe\x80\n",
}


def seeds():
    for name, text in FILES.items():
        yield name, b"\0" + text
    yield "small-room", b"\x06" + FILES["id-0"]
    yield "room-for-1", b"\x01" + FILES["id-0"]
