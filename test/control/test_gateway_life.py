# SPDX-License-Identifier: BSD-3-Clause
"""Start, stop, signals, sockets, and everything that keeps segseal from starting."""

import ctypes
import mmap
import os
import pty
import re
import shutil
import signal
import socket
import subprocess

import pytest

from control.live import SINK, TOP, Gateway, looped, run_refused, settled
from segseal_client import SegsealError

CAPTURES = TOP / "test" / "linux" / "captures"
PLAIN = [looped(CAPTURES / "encap-sha256-3seg-udp.pcap"), SINK]
QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]


def segseal(build, *words):
    return subprocess.run(
        [str(build / "app" / "segseal"), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def one_line(text):
    return text.count("\n") == 1 and text.endswith("\n")


# --- command line


def test_help_and_version(build):
    for words in (["--help"], ["-h"], ["--", "-h"], ["--", "--help"]):
        done = segseal(build, *words)
        assert done.returncode == 0 and done.stderr == ""
        assert "--replay IN.pcap" in done.stdout and "exit status" in done.stdout
    for words in (["--version"], ["-V"], ["--", "-V"]):
        done = segseal(build, *words)
        assert done.returncode == 0 and done.stdout.startswith("segseal ")


def test_man_page(build):
    """Each option is on it, and groff finds nothing to warn of."""
    page = TOP / "app" / "gateway" / "segseal.1"
    text = page.read_text().replace("\\-", "-")
    usage = segseal(build, "--help").stdout
    options = set(re.findall(r"--[a-z][a-z-]*", usage))
    assert len(options) > 12 and options <= set(re.findall(r"--[a-z][a-z-]*", text))
    if not shutil.which("groff"):
        pytest.skip("no groff")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-cbou", page], capture_output=True, check=True
    )
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--", "--nonsense"], "'--nonsense': unknown option"),
        (["--", "-x"], "'-x': unknown option"),
        (["--", "-c"], "'-c' needs a value"),
        (["--", "word"], "'word'"),
        (["--", "--rxq", "0"], "--rxq: '0' is not a number from 1 to 64"),
        (["--", "--rxq", "many"], "--rxq: 'many'"),
        (["--", "--rxq", "-1"], "--rxq: '-1'"),
        (["--", "--mbufs", "99999999999999999999"], "--mbufs"),
        (["--", "--memo-entries", ""], "--memo-entries"),
        (["--", "--config", ""], "empty file name"),
        (["-l", "0,1", "--config", "x"], "'--config' stands behind --: segseal [EAL options] -- "),
        (["--keep-secrets"], "'--keep-secrets' stands behind --"),
        (["--rxq=2", "-l", "0,1"], "'--rxq=2' stands behind --"),
        (["-i"], "'-i' stands behind --"),
        (["--replay"], "'--replay' needs a value"),
        (["--replay", "x.pcap"], "--replay needs --config FILE"),
        (["--replay-from-peer"], "needs --replay"),
        (["--replay", "x.pcap", "--config", "c", "-s", "x"], "'-s': unknown option"),
        (["-l", "0", "--replay", "x.pcap"], "'-l': unknown option"),
    ],
)
def test_wrong_usage(build, words, what):
    done = segseal(build, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("segseal: ") and one_line(done.stderr)
    assert what in done.stderr


def test_wrong_eal_option(build, tmp_path):
    status, log = run_refused(build, tmp_path, QUIET, eal=["--no-such-option"])
    assert status == 2
    assert "segseal: the EAL did not start" in log


def test_no_worker(build, tmp_path):
    status, log = run_refused(build, tmp_path, QUIET, workers=0)
    assert status == 2
    assert "none is left for a worker" in log and "--lcores" in log


def test_no_port(build, tmp_path):
    status, log = run_refused(build, tmp_path, [])
    assert status == 2
    assert "segseal: no Ethernet port" in log


def test_too_many_queues(build, tmp_path):
    status, log = run_refused(build, tmp_path, PLAIN, options=["--rxq", "2"])
    assert status == 2
    assert "port 0 (net_pcap0): --rxq 2: the device has 1" in log


def test_too_few_memory(build, tmp_path):
    status, log = run_refused(build, tmp_path, QUIET, options=["--mbufs", "1000000"])
    assert status == 1
    assert "no memory for 1000000 packet buffers" in log and "--mbufs" in log


@pytest.mark.parametrize(
    ("config", "line", "what"),
    [
        ("port 0 verify require\nport 7 verify require\n", 2, "no port 7"),
        ("port 0 peer 9\n", 1, "no port 9"),
        ("\n# comment\nport 0 verify sometimes\n", 3, "sometimes"),
        ("nonsense\n", 1, "nonsense"),
        ("key del 5\n", 1, "no key 5"),
        ("port 0 mtu 100\n", 1, "mtu"),
        ("sid add fc00::1/16\n", 1, "prefix"),
        ("key load /nonexistent/keys\n", 1, "/nonexistent/keys"),
        ("load /nonexistent/commands\n", 1, "/nonexistent/commands"),
    ],
)
def test_wrong_config(build, tmp_path, config, line, what):
    status, log = run_refused(build, tmp_path, QUIET, config=config)
    assert status == 2
    said = [text for text in log.splitlines() if text.startswith("segseal: /")]
    assert len(said) == 1
    assert f"{tmp_path}/config" in said[0] and f":{line}: " in said[0] and what in said[0]


def test_no_config_file(build, tmp_path):
    status, log = run_refused(build, tmp_path, QUIET, options=["-c", "/nonexistent/conf"])
    assert status == 2
    assert "segseal: /nonexistent/conf" in log


# --- life


def test_quit(build, tmp_path):
    with Gateway(build, tmp_path, PLAIN) as gateway:
        version = gateway.call("version")
        assert version["version"] and version["dpdk"].startswith("DPDK ")
        assert gateway.call("quit") == {}
        assert gateway.wait() == 0
        assert not os.path.exists(gateway.socket)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends(build, tmp_path, number):
    with Gateway(build, tmp_path, PLAIN) as gateway:
        settled(gateway.stats, lambda stats: stats["rx"] > 1000)
        gateway.signal(number)
        assert gateway.wait() == 0
        assert f"{number.name}: stopping" in gateway.log()
        assert not os.path.exists(gateway.socket)


def test_config_quits(build, tmp_path):
    status, _ = run_refused(build, tmp_path, QUIET, config="quit\n")
    assert status == 0


def test_forwards_unless_stopped(build, tmp_path):
    with Gateway(build, tmp_path, PLAIN) as gateway:
        settled(gateway.stats, lambda stats: stats["rx"] > 1000)
        assert gateway.call("stop") == {"running": False}
        before = gateway.stats()
        assert gateway.call("stop") == {"running": False}
        assert gateway.stats() == before
        assert gateway.call("start") == {"running": True}
        settled(gateway.stats, lambda stats: stats["rx"] > before["rx"])
        assert gateway.call("worker.list")["forwarding"] is True
    with Gateway(build, tmp_path, PLAIN, config="start\nstop\n") as gateway:
        assert "forwarding is stopped" in gateway.log()
        assert gateway.call("worker.list")["forwarding"] is False
        assert gateway.stats()["rx"] == 0
        gateway.call("start")
        settled(gateway.stats, lambda stats: stats["rx"] > 1000)


def test_socket_of_a_live_process(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as first:
        status, log = run_refused(build, tmp_path, QUIET, path=first.socket)
        assert status == 1
        assert f"segseal: cannot listen on {first.socket}: a live process" in log
        assert first.call("version")  # and the socket is still the first one's


def test_socket_of_a_dead_process(build, tmp_path):
    path = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
    with Gateway(build, tmp_path, QUIET, path=path):
        assert os.stat(path).st_mode & 0o777 == 0o660
    assert not path.exists()


def test_socket_that_is_something_else(build, tmp_path):
    path = tmp_path / "file"
    path.write_text("precious")
    status, log = run_refused(build, tmp_path, QUIET, path=path)
    assert status == 1
    assert f"segseal: cannot listen on {path}: " in log
    assert path.read_text() == "precious"


def test_socket_in_a_new_folder(build, tmp_path):
    path = tmp_path / "one" / "two" / "socket"
    with Gateway(build, tmp_path, QUIET, path=path) as gateway:
        assert gateway.stats()["rx"] == 0


def test_no_core_and_no_peeping(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        with open(f"/proc/{gateway.process.pid}/limits", encoding="ascii") as file:
            limit = next(line for line in file if line.startswith("Max core file size"))
        assert limit.split()[4:6] == ["0", "0"]
        with open(f"/proc/{gateway.process.pid}/maps", encoding="ascii") as file:
            sanitized = "libasan" in file.read()
        if not sanitized:  # what is not dumpable belongs to root in /proc, whoever runs it
            result = subprocess.run(
                ["setpriv", "--reuid=65534", "--clear-groups", "cat"]
                + [f"/proc/{gateway.process.pid}/environ"],
                capture_output=True,
                check=False,
            )
            assert result.returncode != 0


def may_lock(size):
    with mmap.mmap(-1, size) as memory:
        place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        libc = ctypes.CDLL(None)
        return libc.mlock(ctypes.c_void_p(place), ctypes.c_size_t(size)) == 0


@pytest.mark.parametrize("low", [True, False], ids=["low-limit", "as-it-is"])
def test_keys_that_cannot_be_locked(build, tmp_path, low):
    """Told once, and no reason not to start."""
    if low and os.getuid() != 0:
        pytest.skip("takes root to give up CAP_IPC_LOCK")
    gateway = Gateway(build, tmp_path, QUIET, options=["--keep-secrets"])
    if low:
        without = ["setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"]
        gateway.words = ["prlimit", "--memlock=65536", *without, *gateway.words]
    with gateway:
        gateway.said("control socket")
        with open(f"/proc/{gateway.process.pid}/maps", encoding="ascii") as file:
            if "libasan" in file.read():
                pytest.skip("the sanitizer locks no memory, and says that it has")
        warnings = gateway.log().count("keys may be swapped out to disk: RLIMIT_MEMLOCK")
        assert warnings == (0 if not low and may_lock(64 << 20) else 1)


# --- SIGHUP


def write_keys(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)


def ids(gateway):
    return [key["id"] for key in gateway.call("key.list")["keys"]]


def test_sighup(build, tmp_path):
    keys = tmp_path / "keys"
    write_keys(keys, "1 sha256 linux text:one\n")
    with Gateway(build, tmp_path, QUIET, config=f"key load {keys}\n") as gateway:
        assert ids(gateway) == [1]
        write_keys(keys, "1 sha256 linux text:one\n2 sha1 linux text:two\n")
        gateway.signal(signal.SIGHUP)
        assert "SIGHUP: 2 keys" in gateway.said("SIGHUP")
        assert ids(gateway) == [1, 2]


@pytest.mark.parametrize(
    ("text", "mode", "what"),
    [
        ("1 sha256 linux text:one\n3 sha256 nobody text:PRIVATE\n", 0o600, ":2: "),
        ("3 sha256 linux text:PRIVATE\n", 0o644, ""),
        ("3 sha256 linux text:PRIVATE\n3 sha256 linux text:PRIVATE\n", 0o600, ":2: "),
        (None, 0, ""),
    ],
)
def test_sighup_with_a_bad_file(build, tmp_path, text, mode, what):
    keys = tmp_path / "keys"
    write_keys(keys, "1 sha256 linux text:one\n")
    with Gateway(build, tmp_path, QUIET, config=f"key load {keys}\n") as gateway:
        keys.unlink()
        if text is not None:
            write_keys(keys, text, mode)
        gateway.signal(signal.SIGHUP)
        line = gateway.said("SIGHUP")
        assert "keys stay as they were" in line and str(keys) + what in line
        assert "PRIVATE" not in gateway.log()
        assert ids(gateway) == [1]


def test_sighup_without_a_file(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        gateway.signal(signal.SIGHUP)
        gateway.said("no key file")
        assert gateway.stats()["rx"] == 0


# --- prompt


def test_prompt_from_a_pipe(build, tmp_path):
    gateway = Gateway(build, tmp_path, QUIET, options=["-i"], stdin=subprocess.PIPE)
    gateway.launch()
    try:
        gateway.process.stdin.write(b"show stats json\nnonsense\nport 0 verify require\nshow port info 0\n")
        gateway.process.stdin.close()  # the end of input is the end of the gateway
        assert gateway.wait(60) == 0
    finally:
        gateway.end()
    out = gateway.out()
    assert '"hmac_mismatch":0' in out.replace(" ", "")
    assert "require" in out
    assert "nonsense" in gateway.log()


def test_prompt_on_a_terminal(build, tmp_path):
    ours, its = pty.openpty()
    gateway = Gateway(build, tmp_path, QUIET, options=["-i"], stdin=its)
    try:
        with gateway:
            settled(gateway.out, lambda out: "segseal> " in out)
            os.write(ours, b"show sids\nquit\n")
            assert gateway.wait() == 0
    finally:
        os.close(ours)
        os.close(its)


def test_prompt_is_left_by_others(build, tmp_path):
    """While a person thinks about a line, somebody else may end the gateway."""
    ours, its = pty.openpty()
    gateway = Gateway(build, tmp_path, QUIET, options=["-i"], stdin=its)
    try:
        with gateway:
            os.write(ours, b"show st")
            gateway.signal(signal.SIGTERM)
            assert gateway.wait() == 0
    finally:
        os.close(ours)
        os.close(its)


# --- service manager


def test_service_manager_is_told(build, tmp_path, monkeypatch):
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        with Gateway(build, tmp_path, QUIET) as gateway:
            assert manager.recv(100) == b"READY=1"
            gateway.call("quit")
            assert manager.recv(100) == b"STOPPING=1"


def test_unknown_method_is_no_end(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        with pytest.raises(SegsealError) as refused:
            gateway.call("no.such.method")
        assert refused.value.code == -32601
        assert gateway.stats()["rx"] == 0
