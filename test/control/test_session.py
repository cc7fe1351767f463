# SPDX-License-Identifier: BSD-3-Clause
"""docs/session.md by the letter: its commands once more, and what they print compared by its shape."""

import os
import re
import shlex
import subprocess
import time

from control.live import TOP, cpus
from control.terminal import Terminal

DOC = (TOP / "docs" / "session.md").read_text()
SECONDS = 60
PROMPTS = ("$ ", "segseal> ")
SHAPES = [
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"\b[0-9a-f]{16}\b", "HEX"),
    (r" +\d+(\.\d+)? [kMG]?(pps|bit/s)\b", ""),
    (r"rates over the last .*\n", ""),
    (r" \(\d+ more held back\)", ""),
    (r"\b\d+\b", "N"),
    (r" +", " "),
]


def blocks():
    return re.findall(r"^```console\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)


def steps():
    """[(prompt, line, what is printed)], in order."""
    found = []
    for text in "".join(blocks()).splitlines():
        prompt = next((prompt for prompt in PROMPTS if text.startswith(prompt)), None)
        if prompt:
            found.append((prompt, text.removeprefix(prompt), []))
        else:
            found[-1][2].append(text)
    return [(prompt, line, "\n".join(printed)) for prompt, line, printed in found]


def secrets():
    return re.search(r"^<!-- typed where it does not show: (.*) -->$", DOC, re.MULTILINE)[1].split("; ")


def shape(text):
    for pattern, instead in SHAPES:
        text = re.sub(pattern, instead, text)
    return [line.strip() for line in text.strip().splitlines()]


class Session:
    """The terminals of the page, with a folder of our own in place of /tmp."""

    def __init__(self, build, folder):
        self.build = build
        self.folder = folder
        self.secrets = secrets()
        self.gateway = None
        self.prompt = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.prompt:
            self.prompt.__exit__()
        if self.gateway and self.gateway.poll() is None:
            self.gateway.terminate()
            self.gateway.wait(SECONDS)

    def ours(self, line):
        line = line.replace("/tmp/segseal", f"{self.folder}/s").replace("-l 0,1", f"--lcores {cpus(1)}")
        return line.replace("build/app/", f"{self.build}/app/")

    def theirs(self, text):
        return text.replace(f"{self.folder}/s", "/tmp/segseal")

    def shell(self, line, printed):
        words = self.ours(line)
        if line.startswith("build/app/segseal "):
            self.gateway = subprocess.Popen(
                f"exec {words}",
                shell=True,
                cwd=TOP,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "RUNTIME_DIRECTORY": str(self.folder)},
            )
            end = time.monotonic() + SECONDS
            while not (self.folder / "s.sock").exists():
                assert self.gateway.poll() is None and time.monotonic() < end
                time.sleep(0.05)
        elif line.startswith("build/app/segsealctl "):
            self.prompt = Terminal(shlex.split(words), cwd=TOP, columns=200)
            assert shape(self.theirs(self.prompt.until("segseal> "))) == shape(f"{printed}\nsegseal>")
        else:
            done = subprocess.run(
                words, shell=True, cwd=TOP, capture_output=True, text=True, check=True, timeout=SECONDS
            )
            assert shape(self.theirs(done.stdout + done.stderr)) == shape(printed), line

    def say(self, line):
        """What it prints at the prompt."""
        ours = self.ours(line)
        self.prompt.type(ours + "\r")
        said = self.prompt.until(ours + "\n")
        if line.startswith(("key add ", "key set ")):
            said = self.prompt.until(": ")
            self.prompt.type(self.secrets.pop(0) + "\r")
        if line == "quit":
            assert self.prompt.wait(SECONDS) == 0 and self.gateway.wait(SECONDS) == 0
            return ""
        return said * (": " in said) + self.prompt.until("segseal> ").removesuffix("segseal> ")

    def check(self, line, printed):
        """Counters need their time: what only looks may look again."""
        end = time.monotonic() + SECONDS
        while True:
            said = shape(self.theirs(self.say(line)))
            if said == shape(printed):
                return
            assert line.startswith("show ") and time.monotonic() < end, (line, said, shape(printed))
            time.sleep(0.1)


def test_page_tells_the_whole_story():
    said = [line for _, line, _ in steps()]
    for begin in ("build/app/segseal ", "build/app/segsealctl ", "key add ", "show stats", "trace add ",
                  "show trace", "key rotate ", "key del ", "quit"):
        assert any(line.startswith(begin) for line in said), begin
    assert not any(secret in line for line in said for secret in secrets())


def test_session(build, tmp_path):
    with Session(build, tmp_path) as session:
        for prompt, line, printed in steps():
            if prompt == "$ ":
                session.shell(line, printed)
            else:
                session.check(line, printed)
        assert session.secrets == []
        for secret in secrets():
            assert secret not in (tmp_path / "s.log").read_text() + (tmp_path / "s.conf").read_text()
