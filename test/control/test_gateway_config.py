# SPDX-License-Identifier: BSD-3-Clause
"""What config/ ships: it is valid, does what its comments say, and is installed where it should."""

import json
import re
import shutil
import subprocess

import pytest

from control.live import TOP, Gateway
from oracle import build as packets
from oracle import capture, edit, mac
from replay import write_secret

KEY = mac.Key(1001, "sha256", mac.LINUX, b"change-me")


@pytest.fixture
def conf(tmp_path):
    """The sample configuration, with the sample key file beside it."""
    keys = (TOP / "config" / "keys").read_text()
    write_secret(tmp_path / "keys", keys.replace("\n#1001", "\n1001").replace("\n#1002", "\n1002"))
    text = (TOP / "config" / "segseal.conf").read_text()
    assert "/etc/segseal/keys" in text
    return text.replace("/etc/segseal/keys", str(tmp_path / "keys"))


def test_sample_runs_live(build, tmp_path, conf):
    with Gateway(build, tmp_path, ["net_null0,no-rx=1", "net_null1,no-rx=1"], config=conf) as gateway:
        assert [key["id"] for key in gateway.call("key.list")["keys"]] == [1001, 1002]
        outside, inside = gateway.call("port.list")["ports"]
        assert (outside["verify"], outside["strip"], outside["insert"]) == ("require", True, None)
        assert (inside["verify"], inside["strip"], inside["insert"]) == ("off", False, 1001)
        assert gateway.call("sid.list") == {"sids": ["fc00::/16"]}
        assert all(worker["running"] for worker in gateway.call("worker.list")["workers"])


def test_sample_as_it_is_has_no_key(build, tmp_path):
    """Nobody runs on a secret from a sample."""
    write_secret(tmp_path / "keys", (TOP / "config" / "keys").read_text())
    (tmp_path / "config").write_text(f"key load {tmp_path}/keys\n")
    with Gateway(
        build, tmp_path, ["net_null0,no-rx=1"], config=(tmp_path / "config").read_text()
    ) as gateway:
        assert gateway.call("key.list")["keys"] == []


def test_sample_judges_and_seals(build, tmp_path, conf):
    (tmp_path / "config").write_text(conf)
    path = ["fc00:1::1", "fc00:2::1"]
    sealed = edit.seal(KEY, packets.routed(path))
    plain = packets.routed(path)

    def run(frames, *words):
        capture.write(tmp_path / "in.pcap", frames)
        done = subprocess.run(
            [str(build / "app" / "segseal"), "--replay", "in.pcap", "--config", "config"]
            + ["--json", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return json.loads(done.stdout)

    came_in = run([sealed, plain])
    assert came_in["verified"] == came_in["stripped"] == came_in["tx"] == 1
    assert came_in["drops"]["hmac_missing"] == 1
    assert run([plain], "--replay-from-peer")["inserted"] == 1


def test_installed(build, tmp_path):
    subprocess.run(
        ["meson", "install", "-C", str(build), "--no-rebuild", "--quiet", "--destdir", str(tmp_path)],
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
    )
    files = {path.name: path for path in tmp_path.rglob("*") if path.is_file()}
    assert files["segseal"].parent.name == "bin"
    assert files["segseal.conf"].read_text() == (TOP / "config" / "segseal.conf").read_text()
    assert files["keys"].stat().st_mode & 0o777 == 0o600
    unit = files["segseal.service"]
    assert unit.parent.name == "system" and "@" not in unit.read_text()
    for one in (unit, files["segseal-exporter.service"]):  # what they name is there to be read
        (page,) = re.findall(r"^Documentation=file:(.*)$", one.read_text(), re.MULTILINE)
        assert (tmp_path / page.lstrip("/")).is_file()
    assert files["segseal.1"].parent == files["segsealctl.1"].parent
    share = files["segseal.conf"].parent
    for name in ("segseal_exporter.py", "segseal_client.py", "grafana-dashboard.json"):
        assert files[name].parent == share
    exporter = files["segseal-exporter.service"]
    program = str(files["segseal_exporter.py"])[len(str(tmp_path)) :]
    assert f"ExecStart=/usr/bin/python3 {program} " in exporter.read_text()
    assert exporter.parent == unit.parent and "@" not in exporter.read_text()
    done = subprocess.run(
        ["/usr/bin/python3", str(files["segseal_exporter.py"]), "--help"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and b"/metrics" in done.stdout

    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze: the unit was not checked")
    program = str(files["segseal"])[len(str(tmp_path)) :]
    text = unit.read_text()
    assert f"ExecStart={program} " in text
    unit.write_text(text.replace(f"ExecStart={program} ", f"ExecStart={files['segseal']} "))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit), str(exporter)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and "segseal" not in done.stderr, done.stderr
