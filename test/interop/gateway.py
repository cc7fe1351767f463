# SPDX-License-Identifier: BSD-3-Clause
"""segseal between the hosts of a lab."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

from interop import netlab

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SEGSEAL_BUILD", TOP / "build"))
SEGSEAL = BUILD / "app/segseal"
SEGSEALCTL = BUILD / "app/segsealctl"
LEAKS = pathlib.Path(__file__).parent / "lsan.supp"
FRAME = 2048  # octets of an AF_PACKET ring's frame, what a packet buffer can hold

PORTS = {
    "af_packet": "net_af_packet{n},iface={dev},framesz=%d,blocksz=65536,framecnt=512" % FRAME,
    "af_xdp": "net_af_xdp{n},iface={dev},force_copy=1",
    "tap": "net_tap{n},iface=t{n}",
}


def cores(turned=False):
    """EAL cores: one for control, one worker; turned, so that two gateways' workers share none."""
    cpus = sorted(os.sched_getaffinity(0))
    pair = [cpus[0], cpus[1 % len(cpus)]]
    if turned:
        pair.reverse()
    return "0@{},1@{}".format(*pair)


def command(prefix, control_socket, config, ports="af_packet", turned=False):
    """The command that runs segseal on g0 and g1 without hugepages, beside others of its kind."""
    return [str(SEGSEAL), "--no-huge", "--no-pci", "--no-telemetry", "-m", "512",
            "--file-prefix", prefix, "--lcores", cores(turned),
            *(f"--vdev={PORTS[ports].format(n=n, dev=f'g{n}')}" for n in (0, 1)),
            "--", "-c", str(config), "-s", str(control_socket)]


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.errno = (error.get("data") or {}).get("errno")


class Rpc:
    """A client of the control socket."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(20)
        self.sock.connect(str(path))
        self.lines = self.sock.makefile("r")
        self.number = 0

    def call(self, method, **params):
        self.number += 1
        self.sock.sendall(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                                      "params": params}).encode() + b"\n")
        answer = json.loads(self.lines.readline())
        assert answer["id"] == self.number
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def close(self):
        self.lines.close()
        self.sock.close()


class Gateway:
    """One segseal in a gateway namespace of a lab: port 0 is g0, port 1 is g1."""

    count = 0

    def __init__(self, lab, hop=0, ports="af_packet", config=()):
        self.lab = lab
        self.namespace = lab.gateways[hop]
        self.ports = ports
        self.folder = tempfile.TemporaryDirectory(prefix=f"{lab.tag}-")
        folder = pathlib.Path(self.folder.name)
        self.socket = folder / "segseal.sock"
        self.log = folder / "log"
        self.rpc = None
        self.last_words = ""
        conf = folder / "segseal.conf"
        conf.write_text("".join(f"{line}\n" for line in config))
        Gateway.count += 1
        prefix = f"{lab.tag}-{Gateway.count}"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = lab.popen(
                self.namespace, *command(prefix, self.socket, conf, ports, turned=hop == 1),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"})
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    def _wait(self, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"segseal ended with status {self.process.returncode}: "
                                   f"{self.text()[-2000:]}")
            try:
                self.rpc = Rpc(self.socket)
                self.call("start")
                return
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.05)
        raise RuntimeError(f"segseal does not answer: {self.text()[-2000:]}")

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def call(self, method, **params):
        return self.rpc.call(method, **params)

    def ctl(self, *words, namespace=None, **kwargs):
        """segsealctl with words; in the gateway's namespace unless another is named."""
        return netlab.run(str(SEGSEALCTL), "-s", str(self.socket), *words,
                          namespace=namespace or self.namespace, **kwargs)

    def set_key(self, key):
        self.call("key.set", id=key.id, algorithm=key.algorithm, profile=key.profile,
                  secret_hex=key.secret.hex())

    def del_key(self, key):
        self.call("key.del", id=key.id)

    def clear(self):
        """Forget the counters, and whatever is still on its way."""
        self.call("stats.clear")

    def stats(self):
        return self.call("stats.get")

    def _stats_when(self, is_so, timeout=10):
        """The counters, having waited until they are so or time is over."""
        end = time.monotonic() + timeout
        while True:
            stats = self.stats()
            if is_so(stats) or time.monotonic() > end:
                return stats
            time.sleep(0.01)

    def drops(self, least=0):
        """Reasons for which packets were dropped, with their number, once there are so many."""
        stats = self._stats_when(lambda stats: sum(stats["drops"].values()) >= least)
        return {name: count for name, count in stats["drops"].items() if count}

    def settled(self, **counters):
        """The counters, once each of those named has at least its value."""
        return self._stats_when(lambda stats: all(stats[name] >= value
                                                  for name, value in counters.items()))

    def close(self):
        if self.rpc:
            self.rpc.close()
            self.rpc = None
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.last_words = self.text()[-4000:]
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close()
        if kind is None and self.process.returncode:
            raise AssertionError(f"segseal ended with status {self.process.returncode}: "
                                 f"{self.last_words}")
