# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and docs/*.md say to type, typed. docs/session.md has a test of its own, the examples
of docs/api.md and the steps of docs/linux-interop.md have theirs."""

import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from control.grammar import VALUES, Grammar
from control.live import TOP, Gateway, settled
from oracle import build as packets
from oracle import capture
from replay import write_secret

QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
SOCKET = "/run/segseal/segseal.sock"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# In blocks that show what was printed: not what to type.
SHOWN = {"session.md", "stricter-than-linux.md"}


def blocks(page):
    """[(language, lines)]; a line that ends with a backslash is one with the next."""
    text = page.read_text(encoding="utf-8")
    return [(kind, body.replace("\\\n", "").splitlines()) for kind, body in FENCE.findall(text)]


def spans(page):
    """What stands between single backquotes."""
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", page.read_text(encoding="utf-8")))


def bare(line):
    """Without a shell's prompt and what comments say."""
    return re.sub(r"\s+# .*", "", line.strip().removeprefix("$ ")).strip()


class Docs:
    """All commands of all pages, by what runs them."""

    def __init__(self, grammar):
        self.grammar = grammar
        self.first = {pattern.split()[0] for pattern in grammar.patterns}
        self.commands = set()  # of our grammar
        self.shell = set()
        for page in PAGES:
            if page.name in SHOWN:
                continue
            for kind, lines in blocks(page):
                if kind == "":
                    for line in lines:
                        self.sort(bare(line), True)
            for span in spans(page):
                self.sort(span, False)

    def sort(self, line, whole):
        words = line.split()
        if not words or (not whole and len(words) < 2):
            return
        if words[0] == "segsealctl" or (words[0] in self.first and not line.endswith(":")):
            words = words[words[0] == "segsealctl" :]
            if words and words[0] in self.first:
                self.commands.add(" ".join(words))
        elif "| segsealctl " in line:
            self.commands.add(line.partition("| segsealctl ")[2])
        elif re.match(r"(sudo )?(scripts/|build/|segseal |segseal_|meson |ninja |printf .*socat|/usr/bin|dpdk-|install |systemctl |journalctl )", line):
            self.shell.add(line)
        elif re.match(r"[A-Z_]+=\S+ .*pytest", line):
            self.shell.add(line)


@pytest.fixture(scope="module")
def docs(build):
    return Docs(Grammar(build / "app" / "segsealctl"))


@pytest.fixture
def gateway(build, tmp_path):
    with Gateway(build, tmp_path, QUIET, options=["--keep-secrets"]) as running:
        yield running


def test_found(docs):
    """The pages are read as they are meant."""
    assert len(docs.commands) > 25 and len(docs.shell) > 20
    assert "key rotate 1001 1002" in docs.commands and "port 0 strip on" in docs.commands
    assert "key add 1001 sha256 linux" in docs.commands and "show stats" in docs.commands
    assert "scripts/test unit" in docs.shell


def concrete(words):
    """Names of values become values."""
    return [VALUES[word][0] if word in VALUES else word for word in words]


def prepare(gateway, folder, words):
    """What the command needs to be there, and files of our own in place of its."""
    ids = [int(word) for word in words if re.fullmatch(r"[1-9]\d*", word)]
    if words[0] == "key" and words[1] in ("add", "set", "del", "window", "rotate", "show-secret"):
        lines = [f"{number} sha256 linux text:s{number}\n" for number in ids]
        write_secret(folder / "present", "" if words[1] == "add" else "".join(lines))
        gateway.call("key.load", path=str(folder / "present"))
    if words[:2] == ["key", "rotate"]:
        gateway.call("port.set", port=0, insert=ids[0])
    if words[:2] == ["sid", "add"] and words[2] in gateway.call("sid.list")["sids"]:
        gateway.call("sid.del", prefix=words[2])
    if words[:2] == ["capture", "start"] and gateway.call("capture.get")["running"]:
        gateway.call("capture.stop")
    write_secret(folder / "secret", "octets")
    write_secret(folder / "keys", "1001 sha256 linux text:s\n")
    (folder / "commands").write_text("show sids\n")
    for at, word in enumerate(words[:-1]):
        if word == "secret-file":
            words[at + 1] = str(folder / "secret")
        elif word == "load":
            words[at + 1] = str(folder / ("keys" if words[0] == "key" else "commands"))
        elif words[:2] == ["capture", "start"] and at == 1:
            words[at + 1] = str(folder / f"{os.urandom(4).hex()}.pcapng")
    return words


def test_commands(build, docs, gateway, tmp_path):
    """Each can be said as it stands and does what it says; with "..." for what is left out, it begins
    like one that can."""
    for command in sorted(docs.commands):
        words = concrete(shlex.split(command))
        if "..." in words:
            assert docs.grammar.is_beginning(words[: words.index("...")]), command
            continue
        if words[-1] == "watch" or (words[:2] == ["key", "import-linux"]):
            assert docs.grammar.is_command(words), command
            continue
        if not docs.grammar.is_command(words):
            # A beginning, such as `key add` where it is spoken of.
            assert docs.grammar.is_beginning(words), f"no such command: {command}"
            continue
        done = subprocess.run(
            [str(build / "app" / "segsealctl"), "-s", gateway.socket, *prepare(gateway, tmp_path, words)],
            input="a secret\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
        )
        shown = words[:2] == ["key", "show-secret"] and os.getuid() != 0
        assert done.returncode == 0 or shown, (command, done.stderr)
        if words[0] == "stop":
            gateway.call("start")


def words_of(line):
    """A shell line's programs, each as a list of words."""
    return [shlex.split(part) for part in re.split(r" && |; ", line)]


def test_files_that_are_named(docs, build):
    """Scripts, tests and folders exist, and scripts know the words that they are given."""
    for line in sorted(docs.shell):
        for words in words_of(line):
            words = [word for word in words if word != "sudo"]
            while "=" in words[0]:
                words = words[1:]
            if words[0] == "segseal_exporter.py":
                words[0] = "scripts/segseal_exporter.py"
            if words[0].startswith("scripts/"):
                program = TOP / words[0]
                assert os.access(program, os.X_OK), line
                if words[0] == "scripts/demo" or len(words) == 1:
                    continue
                usage = subprocess.run(
                    [program, "-h"], capture_output=True, text=True, timeout=60, check=True, cwd=TOP
                ).stdout
                listed = subprocess.run(
                    [program, "--list"], capture_output=True, text=True, timeout=60, check=False, cwd=TOP
                ).stdout if words[0] == "scripts/lint" else ""
                for word in words[1:]:
                    name = re.split(r"[:= ]", word.strip("[]|"))[0]
                    assert name in usage + listed or (TOP / name).exists() or not name.islower(), line
            for word in words:
                if word.startswith("build/"):
                    assert (build / word.removeprefix("build/")).exists(), line
                elif re.match(r"(test|docs|config|app|lib)/", word):
                    assert (TOP / word).exists(), line


def test_replay_lines(docs, build, tmp_path):
    """segseal --replay, as README.md says it."""
    lines = [line for line in docs.shell if re.match(r"(build/app/)?segseal --replay in", line)]
    assert lines
    capture.write(tmp_path / "in.pcap", [packets.routed(["fc00:1::1", "fc00:2::1"])])
    write_secret(tmp_path / "keys", "1001 sha256 linux text:s\n")
    (tmp_path / "config").write_text("key load keys\nport 0 verify require\n")
    for line in lines:
        words = shlex.split(line)
        words[0] = str(build / "app" / "segseal")
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
        assert re.search(r"^rx +1 ", done.stdout, re.MULTILINE)


def test_gateway_lines(docs, build, tmp_path):
    """segseal with devices: on virtual ones, for nobody has those; with a file of our own."""
    lines = [line for line in docs.shell if re.match(r"segseal -l .* -- ", line)]
    assert lines
    (tmp_path / "segseal.conf").write_text("port 0 verify require\n")
    for line in lines:
        ours = shlex.split(line.replace("/etc/segseal", str(tmp_path)).partition(" -- ")[2])
        with Gateway(build, tmp_path, QUIET, options=ours, workers=2) as gateway:
            assert gateway.call("port.list", port=0)["ports"][0]["verify"] == "require"


def test_options(docs, build):
    """Those that are ours: the EAL's stand before the dashes."""
    usage = subprocess.run(
        [build / "app" / "segseal", "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    known = set(re.findall(r"--[a-z-]+", usage))
    said = set()
    for line in docs.shell:
        if re.match(r"(build/app/)?segseal ", line):
            ours = line if "--replay" in line or "--help" in line else line.partition(" -- ")[2]
            said |= set(re.findall(r"--[a-z-]+", ours))
    assert {"--replay", "--group", "--keep-secrets"} <= said <= known


def test_tools_of_dpdk(docs):
    lines = [shlex.split(line) for line in docs.shell if line.startswith("dpdk-")]
    assert len(lines) >= 3
    for program, *words in lines:
        if not shutil.which(program):
            pytest.skip(f"no {program}")
        usage = subprocess.run(
            [program, "--help"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
        for word in words:
            assert not word.startswith("-") or word.partition("=")[0] in usage, (program, word)


def test_as_a_service(docs, build, tmp_path):
    """The files of an installation are copied as gateway.md says, and are what segseal takes."""
    subprocess.run(
        ["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", tmp_path],
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
    )
    units = {path.stem for path in tmp_path.rglob("*.service")}
    ((page, lines),) = [
        (page, [line for _, block in blocks(page) for line in block])
        for page in PAGES
        if page.name == "gateway.md"
    ]
    share = next(path.parent for path in tmp_path.rglob("segseal.conf"))
    for line in lines:
        if line.startswith("install "):
            ours = line.replace("/usr/local/share/segseal", str(share))
            subprocess.run(ours.replace("/etc", f"{tmp_path}/etc"), shell=True, check=True, timeout=60)
        elif line.startswith(("systemctl ", "journalctl ")):
            assert bare(line).split()[-1] in units, page
    conf = tmp_path / "etc" / "segseal"
    assert (conf / "keys").stat().st_mode & 0o777 == 0o600
    config = (conf / "segseal.conf").read_text().replace("/etc", f"{tmp_path}/etc")
    with Gateway(build, tmp_path, QUIET, config=config) as gateway:
        assert gateway.call("port.list", port=0)["ports"][0]["verify"] == "require"


def test_readme_configuration(build, tmp_path):
    """The block of commands in README.md as a configuration file."""
    (block,) = [lines for _, lines in blocks(TOP / "README.md") if lines[0].startswith("key load")]
    write_secret(tmp_path / "keys", "1001 sha256 linux text:s\n")
    config = "\n".join(block).replace("/etc/segseal", str(tmp_path)) + "\n"
    with Gateway(build, tmp_path, QUIET, config=config) as gateway:
        ports = gateway.call("port.list")["ports"]
        assert [port["verify"] for port in ports] == ["require", "off"] and ports[0]["strip"]
        assert ports[1]["insert"] == 1001 and gateway.call("sid.list") == {"sids": ["2001:db8:5e::/48"]}


def test_key_file_page(build, tmp_path, gateway):
    (block,) = [lines for _, lines in blocks(TOP / "docs" / "key-file.md")]
    write_secret(tmp_path / "keys", "\n".join(block) + "\n")
    assert gateway.call("key.load", path=str(tmp_path / "keys")) == {"keys": 3}


def test_python_of_the_api_page(gateway):
    (code,) = ["\n".join(lines) for kind, lines in blocks(TOP / "docs" / "api.md") if kind == "python"]
    calls = re.findall(r"gateway\.(\w+)\(", code)
    code = code.replace(SOCKET, gateway.socket)
    if "event" in calls:  # which must come from somewhere
        code = code.replace(
            "    print(gateway.event())",
            '    gateway.call("key.window", id=1001, send={"to": "+1s"})\n    print(gateway.event())',
        )
    ast.parse(code)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP / "scripts")},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "0"


def test_socat_of_the_api_page(docs, gateway):
    if not shutil.which("socat"):
        pytest.skip("no socat")
    lines = [line for line in docs.shell if "socat" in line]
    assert lines
    gateway.call("key.add", id=1001, algorithm="sha256", profile="linux", secret="s")
    for line in lines:
        process = subprocess.Popen(
            line.replace(SOCKET, gateway.socket),
            shell=True,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            if "subscribe" in line:  # nothing is said until there is something to say
                settled(lambda: gateway.call("events.list")["subscribers"], lambda n: n == 1)
                gateway.call("key.window", id=1001, send={"to": "+1s"})
                assert any(
                    json.loads(event)["params"]["event"] == "key" for event in process.stdout
                )
            else:
                assert json.loads(process.stdout.readline())["result"]
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=60)
