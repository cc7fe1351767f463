# SPDX-License-Identifier: BSD-3-Clause
"""segseal --replay as a program: files good and bad, users, time stamps, and what it leaves."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from control.live import TOP
from linux import kernel
from oracle import capture, commands, mac
from oracle import gateway as model
from replay import replay, write_secret

FOLDER = TOP / "test" / "linux" / "captures"
ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
SEALED = FOLDER / f"{ONE.name}.pcap"
GLOBAL_HEADER = struct.Struct("<IHHiIII")
RECORD_HEADER = struct.Struct("<IIII")


@pytest.fixture
def folder(tmp_path):
    """With config and keys for ONE in require."""
    write_secret(tmp_path / "keys", commands.key_file(model.Config(keys=(ONE.key,))))
    (tmp_path / "config").write_text("key load keys\nport 0 verify require\n")
    shutil.copy(SEALED, tmp_path / "in.pcap")
    return tmp_path


def run(build, folder, *words, infile="in.pcap", config="config", **more):
    return subprocess.run(
        [str(build / "app" / "segseal"), "--replay", str(infile), "--config", config, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **more,
    )


def pcap(records, magic=0xA1B2C3D4, link=1, snaplen=262144):
    """[(seconds, fraction, octets, length on the wire)]"""
    out = GLOBAL_HEADER.pack(magic, 2, 4, 0, 0, snaplen, link)
    for seconds, fraction, data, length in records:
        out += RECORD_HEADER.pack(seconds, fraction, len(data), length) + data
    return out


def records(path):
    data = Path(path).read_bytes()
    header = GLOBAL_HEADER.unpack_from(data)
    at = GLOBAL_HEADER.size
    found = []
    while at < len(data):
        seconds, fraction, caplen, length = RECORD_HEADER.unpack_from(data, at)
        at += RECORD_HEADER.size
        found.append((seconds, fraction, data[at : at + caplen], length))
        at += caplen
    return header, found


# --- what it says


def test_summary_for_programs(build, folder):
    done = run(build, folder, "--json")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.count("\n") == 1
    counters = json.loads(done.stdout)
    assert counters == model.gateway(
        model.Config(keys=(ONE.key,), verify=model.REQUIRE), ONE.frames
    )[1].json()


def test_summary_for_people(build, folder):
    done = run(build, folder)
    assert done.returncode == 0 and done.stderr == ""
    words = [line.split()[:2] for line in done.stdout.splitlines()]
    assert ["rx", "5"] in words and ["tx", "5"] in words and ["verified", "5"] in words
    assert ["drops", "0"] in words and not any(word[0] == "hmac_mismatch" for word in words)

    config = "key load keys\nport 0 verify require\nkey set 65535 sha1 linux secret-file other\n"
    (folder / "config").write_text(config)
    write_secret(folder / "other", "other\n")
    done = run(build, folder)
    words = [line.split()[:2] for line in done.stdout.splitlines()]
    assert ["tx", "0"] in words and ["drops", "5"] in words and ["hmac_mismatch", "5"] in words


def test_config_shows_nothing(build, folder):
    """Standard output is the summary's."""
    (folder / "config").write_text("show stats\nshow keys json\nkey load keys\nstart\nstop\n")
    done = run(build, folder, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["unchecked"] == 5


@pytest.mark.parametrize(
    ("config", "line", "what"),
    [
        ("port 2 verify off\n", 1, "no port 2"),
        ("\nport 0 peer 2\n", 2, "no port 2"),
        ("key load nothing\n", 1, "nothing"),
        ("key add 1 sha256 linux secret-file nothing\n", 1, "nothing"),
        ("bad\n", 1, "bad"),
        ("x" * 5000 + "\n", 1, ""),
        ("\0\n", 1, ""),
        ("load config\n", 1, ""),
        ("load /dev/zero\n", 1, "/dev/zero:1: the line holds a NUL octet"),
    ],
)
def test_bad_config(build, folder, config, line, what):
    (folder / "config").write_text(config)
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"segseal: config:{line}: ")
    assert done.stderr.count("\n") == 1 and what in done.stderr
    assert not (folder / "out.pcap").exists()


# --- bad captures


def truncated(cut):
    return SEALED.read_bytes()[:-cut]


BAD = {
    "missing.pcap": (None, "No such file"),
    "empty.pcap": (b"", "empty"),
    "text.pcap": (b"this is not a capture, but it is long enough for a header\n", "unknown"),
    "short.pcap": (SEALED.read_bytes()[:20], "truncated"),
    "record.pcap": (truncated(5), "truncated"),
    "header.pcap": (SEALED.read_bytes()[: GLOBAL_HEADER.size + 7], "truncated"),
    "cooked.pcap": (pcap([(0, 0, bytes(64), 64)], link=113), "LINUX_SLL, not Ethernet"),
    "raw.pcap": (pcap([(0, 0, bytes(64), 64)], link=101), "RAW, not Ethernet"),
    "odd.pcap": (pcap([(0, 0, bytes(64), 64)], link=65000), "not Ethernet"),
    "huge.pcap": (pcap([(0, 0, bytes(64), 64)])[:-64][:-8] + struct.pack("<II", 1 << 31, 64), ""),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_capture(build, folder, name):
    content, what = BAD[name]
    if content is not None:
        (folder / name).write_bytes(content)
    (folder / "out.pcap").write_bytes(b"as it was")
    done = run(build, folder, "--json", "--write", "out.pcap", infile=name)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"segseal: {name}: ") and done.stderr.count("\n") == 1
    assert what in done.stderr
    assert (folder / "out.pcap").read_bytes() == b"as it was"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        {"config", "keys", "in.pcap", "out.pcap"} | ({name} if content is not None else set())
    )


def test_folder_as_capture(build, folder):
    done = run(build, folder, infile=".")
    assert done.returncode == 1 and done.stderr == "segseal: .: Is a directory\n"


@pytest.mark.parametrize("path", ["no/such/folder/out.pcap", "."])
def test_cannot_write(build, folder, path):
    done = run(build, folder, "--write", path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"segseal: {path}: ") and done.stderr.count("\n") == 1


def test_full_disk(build, folder):
    capture.write(folder / "in.pcap", ONE.frames * 1000)
    done = run(build, folder, "--write", "/dev/full")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "segseal: /dev/full: write: No space left on device\n"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(build / "app" / "segseal"), "--replay", "in.pcap", "--config", "config"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1 and b"No space left" in done.stderr


def test_device_as_output_stays(build, folder):
    done = run(build, folder, "--write", "/dev/null", "--json")
    assert done.returncode == 0
    assert Path("/dev/null").is_char_device()


# --- what it writes


def test_empty_capture_is_a_capture(build, folder):
    (folder / "in.pcap").write_bytes(pcap([]))
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["rx"] == 0
    assert records(folder / "out.pcap")[1] == []


def test_time_stamps_and_order(build, folder):
    rng = random.Random(1)
    stamped = [
        (rng.randrange(1 << 31), rng.randrange(1000000), rng.choice(ONE.frames), 0)
        for _ in range(500)
    ]
    stamped = [(s, f, d, len(d)) for s, f, d, _ in stamped]
    broken = [
        (s, f, d[:-1] if i % 7 == 3 else d[:30] + b"\xff" + d[31:] if i % 3 == 0 else d, n)
        for i, (s, f, d, n) in enumerate(stamped)
    ]
    broken = [(s, f, d, len(d)) for s, f, d, _ in broken]
    (folder / "in.pcap").write_bytes(pcap(broken))
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 0
    header, out = records(folder / "out.pcap")
    assert header == (0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    right = [one for i, one in enumerate(broken) if i % 7 == 3 or i % 3]
    assert out == right
    assert json.loads(done.stdout)["tx"] == len(right)


def test_nanoseconds_and_byte_order(build, folder):
    frame = ONE.frames[0]
    (folder / "in.pcap").write_bytes(
        pcap([(7, 123456789, frame, len(frame))], magic=0xA1B23C4D)
    )
    assert run(build, folder, "--write", "out.pcap").returncode == 0
    assert records(folder / "out.pcap")[1] == [(7, 123456, frame, len(frame))]

    big = struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    big += struct.pack(">IIII", 8, 9, len(frame), len(frame)) + frame
    (folder / "in.pcap").write_bytes(big)
    assert run(build, folder, "--write", "out.pcap").returncode == 0
    assert records(folder / "out.pcap")[1] == [(8, 9, frame, len(frame))]


def block(kind, body):
    body = body.ljust((len(body) + 3) // 4 * 4, b"\0")
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def test_pcapng(build, folder):
    frame = ONE.frames[0]
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 1, 0, 0))
    packet = struct.pack("<IIIII", 0, 0, 1500000, len(frame), len(frame)) + frame
    (folder / "in.pcap").write_bytes(section + interface + block(6, packet))
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["verified"] == 1
    assert records(folder / "out.pcap")[1] == [(1, 500000, frame, len(frame))]


def test_standard_input(build, folder):
    with open(SEALED, "rb") as file:
        done = run(build, folder, "--json", infile="-", stdin=file)
    assert done.returncode == 0 and json.loads(done.stdout)["verified"] == 5
    done = run(build, folder, "--json", infile="-", stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stderr.startswith("segseal: -: ")


def test_same_file_in_and_out(build, folder):
    (folder / "config").write_text("key load keys\nport 0 verify require\nport 0 strip on\n")
    assert run(build, folder, "--write", "in.pcap").returncode == 0
    want, _ = model.gateway(
        model.Config(keys=(ONE.key,), verify=model.REQUIRE, strip=True), ONE.frames
    )
    assert capture.read(folder / "in.pcap") == want


def test_mode_follows_the_umask(build, folder):
    assert run(build, folder, "--write", "out.pcap", umask=0o027).returncode == 0
    assert (folder / "out.pcap").stat().st_mode & 0o777 == 0o640


def test_packets_cut_by_the_capture(build, folder):
    """Judged by what is there: whole headers suffice, cut ones do not."""
    frame = ONE.frames[0]
    (folder / "in.pcap").write_bytes(
        pcap([(1, 2, frame[:-40], len(frame)), (3, 4, frame[:70], len(frame))])
    )
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 0
    counters = json.loads(done.stdout)
    assert counters["verified"] == 1 and counters["drops"]["srh_truncated"] == 1
    assert done.stderr == (
        "segseal: in.pcap: 2 of 2 packets were cut by the capture and judged by what is there\n"
    )
    assert records(folder / "out.pcap")[1] == [(1, 2, frame[:-40], len(frame))]


def test_longest_packets(build, folder):
    """65,535 octets of IPv6 payload, which lie in many buffers; and as much as a file can hold."""
    one = ONE.frames[0]
    large = one[:18] + struct.pack("!H", 65535) + one[20:]
    large = large.ljust(14 + 40 + 65535, b"\xa5")
    longest = large.ljust(262144, b"\x5a")
    frames = [large, one, longest] * 50
    (folder / "in.pcap").write_bytes(pcap([(0, i, f, len(f)) for i, f in enumerate(frames)]))
    done = run(build, folder, "--write", "out.pcap", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"] == len(frames)
    assert [data for _, _, data, _ in records(folder / "out.pcap")[1]] == frames


def test_from_peer(build, folder):
    (folder / "config").write_text("key load keys\nport 0 verify require\nport 1 verify off\n")
    done = run(build, folder, "--replay-from-peer", "--json")
    assert json.loads(done.stdout)["unchecked"] == 5
    (folder / "config").write_text("key load keys\nport 1 verify require\n")
    done = run(build, folder, "--replay-from-peer", "--write", "out.pcap", "--json")
    assert json.loads(done.stdout)["verified"] == 5
    assert capture.read(folder / "out.pcap") == list(ONE.frames)


def test_peer_mtu(build, folder):
    stripped, _ = model.gateway(
        model.Config(keys=(ONE.key,), verify=model.REQUIRE, strip=True), ONE.frames
    )
    long = stripped[0].ljust(14 + 1500, b"\0")
    config = model.Config(keys=(ONE.key,), insert=ONE.key.id)
    done = replay(build, config, [long])
    assert done.status == 0 and done.counters["inserted"] == 1  # no limit but what is configured

    capture.write(folder / "in.pcap", [long])
    for mtu, wanted in ((1500, "too_big"), (1539, "too_big"), (1540, "inserted")):
        (folder / "config").write_text(
            f"key load keys\nport 0 insert key {ONE.key.id}\nport 1 mtu {mtu}\n"
        )
        counters = json.loads(run(build, folder, "--json").stdout)
        assert {**counters, **counters["drops"]}[wanted] == 1, mtu


@pytest.mark.parametrize("key", [mac.Key(9, "sha512", mac.RFC8754, b"k"), ONE.key], ids=str)
def test_same_input_same_output(build, folder, key):
    """Whatever the memo: it saves work and never changes an octet."""
    write_secret(
        folder / "keys", commands.key_file(model.Config(keys=tuple({ONE.key.id: ONE.key, key.id: key}.values())))
    )
    (folder / "config").write_text(
        f"key load keys\nport 0 verify require\nport 0 strip on\nport 0 insert key {key.id}\n"
    )
    capture.write(folder / "in.pcap", ONE.frames * 100)
    seen = set()
    for words in ([], [], ["--memo-entries", "0"], ["--memo-entries", "8"]):
        done = run(build, folder, "--write", "out.pcap", "--json", *words)
        assert done.returncode == 0, done.stderr
        seen.add((done.stdout, (folder / "out.pcap").read_bytes()))
    assert len(seen) == 1
    assert json.loads(seen.pop()[0])["inserted"] == 500


# --- who runs it, and what it leaves


def left_behind():
    """What a replay would leave if it were a DPDK program like others, or a careless one."""
    places = ["/var/run/dpdk", "/tmp/dpdk", "/tmp", "/dev/shm", "/dev/hugepages", "/run/segseal"]
    return [
        f"{place}/{name}"
        for place in places
        if os.path.isdir(place)
        for name in os.listdir(place)
        if "segseal-replay" in name  # how it names all that it makes
    ]


@pytest.fixture
def public(build):
    """A folder for everybody, with the program in it."""
    place = Path(tempfile.mkdtemp(prefix="segseal-public-"))
    place.chmod(0o755)
    shutil.copy(build / "app" / "segseal", place / "segseal")
    yield place
    shutil.rmtree(place)


@pytest.mark.parametrize("home", ["/nonexistent", "/root", ""])
def test_any_user(public, home):
    """No root, no home, no run-time folder, nothing that can be written but the output."""
    work = public / "work"
    work.mkdir()
    shutil.copy(SEALED, work / "in.pcap")
    write_secret(work / "keys", commands.key_file(model.Config(keys=(ONE.key,))))
    (work / "config").write_text("key load keys\nport 0 verify require\n")
    for path in (work, *work.iterdir()):
        os.chown(path, 65534, 65534)
    environment = {"PATH": "/usr/bin:/bin"}
    if home:
        environment |= {"HOME": home, "XDG_RUNTIME_DIR": f"{home}/run", "TMPDIR": home}
    done = subprocess.run(
        [str(public / "segseal"), "--replay", "in.pcap", "--config", "config", "--json"]
        + ["--write", "out.pcap"],
        cwd=work,
        env=environment,
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and json.loads(done.stdout)["verified"] == 5
    assert sorted(path.name for path in work.iterdir()) == ["config", "in.pcap", "keys", "out.pcap"]
    assert left_behind() == []


def test_many_at_once(build, folder):
    capture.write(folder / "in.pcap", ONE.frames * 2000)
    words = [str(build / "app" / "segseal"), "--replay", "in.pcap", "--config", "config", "--json"]
    running = [
        subprocess.Popen(
            words + ["--write", f"out{i}.pcap"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        for i in range(6)
    ]
    try:
        said = {one.communicate(timeout=120)[0] for one in running}
    finally:
        for one in running:
            one.kill()
            one.wait()
    assert [one.returncode for one in running] == [0] * 6
    assert len(said) == 1 and json.loads(said.pop())["verified"] == 10000
    assert len({(folder / f"out{i}.pcap").read_bytes() for i in range(6)}) == 1
    assert left_behind() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(build, folder, number):
    """What it has written by then is not left as if it were whole."""
    os.mkfifo(folder / "fifo")
    before = sorted(os.listdir(folder))
    program = subprocess.Popen(
        [str(build / "app" / "segseal"), "--replay", "fifo", "--config", "config"]
        + ["--write", "out.pcap"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with open(folder / "fifo", "wb", buffering=0) as fifo:
            one = SEALED.read_bytes()
            fifo.write(one)
            end = time.monotonic() + 60
            while len(os.listdir(folder)) == len(before) and time.monotonic() < end:
                time.sleep(0.02)
            assert len(os.listdir(folder)) == len(before) + 1  # the output under another name
            program.send_signal(number)
            try:
                while True:
                    fifo.write(one[GLOBAL_HEADER.size :])
            except BrokenPipeError:
                pass
        out, error = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait()
    assert program.returncode == 1 and out == ""
    assert error == "segseal: interrupted\n"
    assert sorted(os.listdir(folder)) == before
