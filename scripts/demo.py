#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The steps of scripts/demo, which builds what they need.

usage: scripts/demo.py FOLDER   # that has segseal and segsealctl
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "test"))

from control.live import SINK, Gateway, looped  # noqa: E402
from linux import kernel  # noqa: E402
from oracle import capture, commands, edit, gateway, mac, parse  # noqa: E402
from replay import write_secret  # noqa: E402

SAMPLES = TOP / "test/pcap/cases/insert-rfc8754-sha256/in.pcap"
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")

class Failed(Exception):
    """The demo did not show what it is there to show."""


def title(text):
    print(f"\n{BOLD}{text}{PLAIN}")


def command(text):
    print(f"  $ {text}")


def counters(found):
    """Those that are not zero, on one line."""
    drops = {f"dropped as {name}": n for name, n in found["drops"].items()}
    shown = {**{name: n for name, n in found.items() if name != "drops"}, **drops}
    return "  ".join(f"{name} {n:,}" for name, n in shown.items() if n)


def indented(text):
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())


def one_second(running):
    """Show what is counted in one, and return it."""
    before = running.stats()
    time.sleep(1)
    after = running.stats()
    found = {name: n - before[name] for name, n in after.items() if name != "drops"}
    found["drops"] = {name: n - before["drops"][name] for name, n in after["drops"].items()}
    print(f"    in one second: {counters(found)}")
    return found


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Demo:
    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder

    def settings(self, config):
        write_secret(self.folder / "keys", commands.key_file(config))
        commands_text = commands.config_file(config)
        (self.folder / "config").write_text(commands_text)
        print(f"    config: {commands_text.strip().replace(chr(10), '; ')}")

    def replay(self, config, frames):
        """(counters, frames that came out)"""
        self.settings(config)
        capture.write(self.folder / "in.pcap", frames)
        command("segseal --replay in.pcap --write out.pcap --config config")
        done = subprocess.run(
            [self.programs / "segseal", "--replay", "in.pcap", "--write", "out.pcap"]
            + ["--config", "config", "--json"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        expect(done.returncode == 0, f"segseal --replay: {done.stderr.strip()}")
        found = json.loads(done.stdout)
        print(f"    {counters(found)}")
        return found, capture.read(self.folder / "out.pcap")

    def captured(self):
        group = kernel.groups()[0]
        frames = [frame for one in group for frame in one.frames]
        config = gateway.Config(keys=tuple(one.key for one in group), verify=gateway.REQUIRE)
        title(f"1. {len(frames)} packets that Linux 6.18 sealed, in {len(group)} flows with a key each")
        found, _ = self.replay(config, frames)
        expect(found["verified"] == found["tx"] == len(frames), "not all were verified")

        title("2. The same, after somebody changed one octet of a source address and of a segment")
        source = parse.find(frames[0]).ip + 23
        segment = parse.find(frames[9]).srh + 8 + 15
        for number, at in ((0, source), (9, segment)):
            octet = bytes([frames[number][at] ^ 1])
            frames[number] = frames[number][:at] + octet + frames[number][at + 1 :]
        found, _ = self.replay(config, frames)
        expect(found["drops"]["hmac_mismatch"] == 2, "the changed packets were not dropped")

    def sealed(self):
        frames = capture.read(SAMPLES)
        key = mac.Key(1002, "sha256", mac.RFC8754, b"0123456789abcdef")
        title(f"3. {len(frames)} plain SRv6 packets, sealed with {key.algorithm} as RFC 8754 says")
        _, out = self.replay(gateway.Config(keys=(key,), insert=key.id), frames)
        right = 0
        for frame in out:
            found = parse.find(frame)
            right += found.hmac_value == edit.expected_tag(key, found)
        for number in (0, len(frames) - 1):
            segments = parse.find(frames[number]).last + 1
            print(
                f"    {segments:2} segments: {len(frames[number])} octets before, "
                f"{len(out[number])} after, HMAC {parse.find(out[number]).hmac_value.hex()[:16]}..."
            )
        print(f"    Python's hmac agrees with {right} of {len(frames)}")
        expect(right == len(frames), "Python's hmac does not agree")

    def live(self):
        key = mac.Key(1001, "sha256", mac.LINUX, b"secret-key-one")
        frames = [edit.seal(key, frame) for frame in capture.read(SAMPLES)]
        capture.write(self.folder / "loop.pcap", frames)
        title("4. A live gateway: port 0 plays sealed packets for ever, port 1 takes them")
        verifying = gateway.Config(verify=gateway.REQUIRE)
        self.settings(verifying)
        devices = [looped("loop.pcap"), SINK]
        command(f"segseal --vdev {devices[0]} --vdev {devices[1]} ...")
        config = commands.config_file(verifying)
        with Gateway(self.programs.parent, self.folder, devices, config) as running:
            found = one_second(running)
            expect(found["rx"] and not found["tx"], "packets passed without a key")

            add = f"key add {key.id} {key.algorithm} {key.profile}"
            self.ctl(running, add, key.secret.decode())
            found = one_second(running)
            expect(found["verified"], "no packet was verified")

            print(indented(self.ctl(running, "show keys")))

            self.ctl(running, f"key del {key.id}")
            found = one_second(running)
            expect(found["rx"] and not found["tx"], "packets passed with a deleted key")

            self.ctl(running, "quit")
            expect(running.wait() == 0, "the gateway did not stop as asked")

    def ctl(self, running, words, secret=None):
        """What segsealctl prints; the secret goes to its standard input."""
        command(f"{f'echo {secret} | ' if secret else ''}segsealctl {words}")
        done = subprocess.run(
            [self.programs / "segsealctl", "-s", running.socket, *words.split()],
            input=f"{secret}\n" if secret else "",
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        expect(done.returncode == 0, f"segsealctl {words}: {done.stderr.strip()}")
        return done.stdout


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="segseal-demo-") as folder:
        demo = Demo(Path(argv[0]).resolve(), Path(folder))
        try:
            demo.captured()
            demo.sealed()
            demo.live()
        except (Failed, OSError, RuntimeError) as error:
            print(f"demo: {error}", file=sys.stderr)
            return 1
    title("Try next")
    print("  scripts/lab up            hosts with Linux's own SRv6 around a gateway (as root)")
    print("  docs/gateway.md           your own captures, or NICs; config/ has samples")
    print("  scripts/test              everything that is tested")
    return 0


sys.exit(main(sys.argv[1:]))
