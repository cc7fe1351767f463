# SPDX-License-Identifier: BSD-3-Clause
"""The Prometheus exporter: its numbers are those of show stats and of a replay, and promtool takes
its page."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import urllib.parse
from contextlib import contextmanager

import pytest

import replay
from control.live import SINK, TOP, Gateway, looped, settled
from linux import kernel
from oracle import gateway as model

EXPORTER = TOP / "scripts" / "segseal_exporter.py"
DASHBOARD = TOP / "config" / "grafana-dashboard.json"
CASES = TOP / "test" / "pcap" / "cases"
ONE = next(one for one in kernel.captures() if one.name == "encap-sha256-3seg-udp")
LOOPED = looped(TOP / "test" / "linux" / "captures" / f"{ONE.name}.pcap")
QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
SAMPLE = re.compile(r'(segseal_\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)')
CALM = "worker stuck-after 3600000\n"


def parse(page):
    """{(name, ((label, value), ...)): number}; each line is one that the format allows."""
    samples, families, kind = {}, {}, None
    for line in page.splitlines():
        if line.startswith("# HELP "):
            assert line.split()[2] not in families and len(line.split()) > 3
            families[line.split()[2]] = None
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert families[name] is None
            families[name] = kind
        else:
            name, labels, value = SAMPLE.fullmatch(line).groups()
            key = (name, tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))))
            assert key not in samples, "twice"
            family = re.sub(r"_(bucket|sum|count)$", "", name) if kind == "histogram" else name
            assert families[family] == kind
            samples[key] = float(value)
    return samples


def total(samples, name, **labels):
    """The sum of all series that have these labels."""
    found = [
        value
        for (known, pairs), value in samples.items()
        if known == f"segseal_{name}" and labels.items() <= dict(pairs).items()
    ]
    assert found, (name, labels)
    return sum(found)


def once(path, *options):
    return subprocess.run(
        [str(EXPORTER), "-s", str(path), "--once", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def scrape(gateway, *options):
    done = once(gateway.socket, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def promtool(page):
    if not shutil.which("promtool"):
        pytest.skip("no promtool")
    return subprocess.run(
        ["promtool", "check", "metrics"],
        input=page,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def counters(samples):
    """The page's numbers in the shape of stats.get."""
    return {
        **{name: total(samples, f"{name}_packets_total") for name in model.EVENTS},
        **{name: total(samples, "passed_packets_total", verdict=name) for name in model.PASSES},
        "drops": {
            name: total(samples, "dropped_packets_total", reason=name) for name in model.DROPS
        },
    }


@pytest.mark.parametrize("case", ["scope-all", "translate-all", "insert-malformed"])
def test_numbers_are_those_of_the_gateway_and_of_a_replay(build, tmp_path, case):
    for name in ("in.pcap", "config"):
        shutil.copy(CASES / case / name, tmp_path)
    replay.write_secret(tmp_path / "keys", (CASES / case / "keys").read_text())
    replayed = replay.run(build, tmp_path)
    assert replayed.status == 0 and replayed.counters["rx"] > 0

    config = (tmp_path / "config").read_text() + CALM
    vdevs = [f"net_pcap0,rx_pcap={tmp_path / 'in.pcap'}", SINK]
    with Gateway(build, tmp_path, vdevs, config=config) as gateway:
        stats = settled(gateway.stats, lambda now: now["rx"] == replayed.counters["rx"])
        gateway.call("stop")
        samples = parse(scrape(gateway))
        assert counters(samples) == stats == replayed.counters

        for key in gateway.call("key.list")["keys"]:
            for name in ("verified", "failed", "inserted"):
                assert total(samples, f"key_{name}_packets_total", key=str(key["id"])) == key[name]
        verified = sum(key["verified"] for key in gateway.call("key.list")["keys"])
        assert total(samples, "key_verified_packets_total") == verified
        for port in gateway.call("port.stats")["ports"]:
            number = str(port["port"])
            assert total(samples, "rx_packets_total", port=number) == port["gate"]["rx"]
            received = total(samples, "port_received_packets_total", port=number)
            assert received == port["ipackets"]


def test_workers(build, tmp_path):
    config = "port 0 verify require\n" + CALM
    with Gateway(build, tmp_path, [LOOPED, SINK], config=config) as gateway:
        secret = ONE.key.secret.decode()
        gateway.call("key.add", id=ONE.key.id, algorithm="sha256", profile="linux", secret=secret)
        settled(gateway.stats, lambda stats: stats["verified"] > 10000)
        gateway.call("stop")
        samples = parse(scrape(gateway))
        worker = gateway.call("worker.list")["workers"][0]
        for name in ("packets", "busy_cycles", "memo_hits", "memo_misses", "memo_evictions"):
            assert total(samples, f"worker_{name}_total", worker="0") == worker[name]
        assert worker["memo_hits"] > 0
        assert total(samples, "worker_cycles_per_packet") == worker["cycles_per_packet"]
        assert total(samples, "worker_stuck") == 0
        assert total(samples, "worker_info", worker="0", lcore="1", state="stopped") == 1
        busy = total(samples, "worker_busy_cycles_total")
        ratio = busy / total(samples, "worker_cycles_total")
        assert total(samples, "worker_busy_ratio") == pytest.approx(ratio)

        seen, bounds = 0, []
        for size, count in worker["burst_sizes"].items():
            seen += count
            bounds.append(size.split("-")[-1])
            assert total(samples, "worker_burst_packets_bucket", le=bounds[-1]) == seen
        assert bounds == ["1", "3", "7", "15", "31", "63", "127", "128"]
        assert total(samples, "worker_burst_packets_bucket", le="+Inf") == worker["bursts"]
        assert total(samples, "worker_burst_packets_sum") == worker["packets"]
        assert total(samples, "worker_burst_packets_count") == worker["bursts"]


def test_promtool_takes_it(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config="port 0 verify require\n") as gateway:
        gateway.call("key.add", id=1, algorithm="sha256", profile="linux", secret="s")
        page = scrape(gateway)
        done = promtool(page)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        # It would say so.
        assert promtool(page.replace("# HELP", "# help")).returncode != 0
        assert promtool(page + "oops\n").returncode != 0


def test_keys_by_state_and_a_bound(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        past, future = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"
        lives = {
            10: {},
            11: {"send": {"to": past}},
            12: {"accept": {"to": past}, "send": {"to": past}},
            13: {"accept": {"from": future}, "send": {"from": future}},
            14: {},
        }
        for number, life in lives.items():
            gateway.call(
                "key.add", id=number, algorithm="sha512", profile="rfc8754", secret="s", **life
            )
        samples = parse(scrape(gateway))
        states = {
            state: total(samples, "keys", state=state)
            for state in ("future", "accepting", "sending", "expired")
        }
        assert states == {"future": 1, "accepting": 1, "sending": 2, "expired": 1}
        assert total(samples, "key_info", key="12", algorithm="sha512", state="expired") == 1
        assert total(samples, "keys_not_exported") == 0

        samples = parse(scrape(gateway, "--keys", "2"))
        assert total(samples, "keys") == 5 and total(samples, "keys_not_exported") == 3
        assert total(samples, "key_info") == 2


def test_no_gateway(tmp_path):
    done = once(tmp_path / "nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr
    assert parse(done.stdout) == {("segseal_up", ()): 0.0}
    checked = promtool(done.stdout)
    assert checked.returncode == 0, checked.stderr


def test_wrong_options(tmp_path):
    for wrong in ("nowhere", "host:", ":1", "127.0.0.1:65536", "127.0.0.1:-1", "unix:"):
        done = once(tmp_path / "socket", "--listen", wrong)
        assert done.returncode == 2 and "HOST:PORT" in done.stderr


@contextmanager
def serving(path, listen):
    """The exporter as a server; what it says where it listens."""
    with subprocess.Popen(
        [str(EXPORTER), "-s", str(path), "--listen", listen],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield re.fullmatch(r".*: listening on (\S+)\n", process.stderr.readline())[1]
        finally:
            process.terminate()
            process.wait(30)


def get(connection, path="/metrics"):
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def test_http(build, tmp_path):
    with Gateway(build, tmp_path, QUIET, config=CALM) as gateway:
        with serving(gateway.socket, "127.0.0.1:0") as where:
            host, port = where.split(":")
            # One that says nothing holds up nobody.
            with socket.create_connection((host, int(port)), 30):
                for _ in range(3):
                    connection = http.client.HTTPConnection(host, int(port), timeout=60)
                    status, kind, page = get(connection)
                    assert status == 200 and kind.startswith("text/plain; version=0.0.4")
                    assert total(parse(page), "up") == 1
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            assert get(connection, "/")[0] == 404
            gateway.call("quit")
            assert gateway.wait() == 0
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            status, _, page = get(connection)
            assert status == 200 and parse(page) == {("segseal_up", ()): 0.0}


def test_http_on_a_unix_socket(build, tmp_path):
    with Gateway(build, tmp_path, QUIET) as gateway:
        path = gateway.runtime / "exporter"
        for _ in range(2):  # the second finds the first's socket
            with serving(gateway.socket, f"unix:{path}") as where:
                assert where == str(path)
                connection = http.client.HTTPConnection("localhost", timeout=60)
                connection.sock = socket.socket(socket.AF_UNIX)
                connection.sock.settimeout(60)
                connection.sock.connect(str(path))
                assert total(parse(get(connection)[2]), "up") == 1
        # A file of somebody's is left alone.
        (tmp_path / "file").write_text("mine")
        done = subprocess.run(
            [str(EXPORTER), "-s", gateway.socket, "--listen", f"unix:{tmp_path / 'file'}"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1 and "in use" in done.stderr
        assert (tmp_path / "file").read_text() == "mine"


def test_each_metric_is_documented(build, tmp_path):
    with Gateway(build, tmp_path, [LOOPED, SINK], config="port 0 verify require\n") as gateway:
        secret = ONE.key.secret.decode()
        gateway.call("key.add", id=ONE.key.id, algorithm="sha256", profile="linux", secret=secret)
        settled(gateway.stats, lambda stats: stats["verified"] > 0)
        page = scrape(gateway)
    there = set(re.findall(r"^# TYPE segseal_(\w+)", page, re.MULTILINE))
    text = (TOP / "docs" / "telemetry.md").read_text()
    table = text.partition("| metric ")[2].partition("\n\n")[0]
    told = set()
    for row in table.splitlines()[2:]:
        names = re.findall(r"`(\w+)`", row.split("|")[1])
        labels = set(re.findall(r"`(\w+)`", row.split("|")[2]))
        assert names
        told.update(names)
        for name in names:
            samples = [pairs for (known, pairs) in parse(page) if known.startswith(f"segseal_{name}")]
            assert {label for pairs in samples for label, _ in pairs} == labels, name
    assert told == there


def queries(node):
    """Each (expression, legend) in the dashboard."""
    if isinstance(node, dict):
        if "expr" in node:
            yield node["expr"], node["legendFormat"]
        for member in node.values():
            yield from queries(member)
    elif isinstance(node, list):
        for member in node:
            yield from queries(member)


def check_rules(folder, expressions):
    """What promtool says of expressions, as rules of a file of their own."""
    if not shutil.which("promtool"):
        pytest.skip("no promtool")
    rules = [{"record": f"rule:{n}", "expr": text} for n, text in enumerate(expressions)]
    path = folder / "rules.yml"
    path.write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))
    return subprocess.run(
        ["promtool", "check", "rules", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_expressions_are_promql(tmp_path):
    dashboard = json.loads(DASHBOARD.read_text())
    # Grafana puts these in.
    expressions = [
        text.replace("$__rate_interval", "5m").replace("$instance", ".*")
        for text, _ in queries(dashboard["panels"])
    ]
    docs = (TOP / "docs" / "telemetry.md").read_text()
    alerts = docs.partition("Alerts that")[2].split("```")[1].strip().splitlines()
    inline = re.findall(r"`(rate\(.*?)`", docs)
    assert len(expressions) > 20 and len(alerts) == 5 and inline
    done = check_rules(tmp_path, expressions + alerts + inline)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not any("$" in text for text in expressions)
    assert check_rules(tmp_path, ["rate(segseal_up"]).returncode != 0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def prometheus(folder, target):
    """A server that scrapes target often; ask(expression) -> [(labels, value)]."""
    if not shutil.which("prometheus"):
        pytest.skip("no prometheus")
    job = {"job_name": "segseal", "static_configs": [{"targets": [target]}]}
    often = {"scrape_interval": "2s", "scrape_timeout": "2s"}
    config = {"global": often, "scrape_configs": [job]}
    (folder / "prometheus.yml").write_text(json.dumps(config))
    port = free_port()

    def ask(expression):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        query = urllib.parse.urlencode({"query": expression})
        status, _, answer = get(connection, f"/api/v1/query?{query}")
        assert status == 200, answer
        return [
            (one["metric"], float(one["value"][1])) for one in json.loads(answer)["data"]["result"]
        ]

    def is_there():
        """It answers 503 while it starts."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            return get(connection, "/-/ready")[0] == 200 and bool(ask("up"))
        except (OSError, http.client.HTTPException):
            return False

    with open(folder / "prometheus.log", "w") as log, subprocess.Popen(
        [
            "prometheus",
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    ) as server:
        try:
            settled(is_there, bool, seconds=90)
            yield ask
        finally:
            server.terminate()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()


def test_prometheus_has_an_answer_for_each_panel(build, tmp_path):
    """A live gateway, scraped by a live Prometheus, asked what the dashboard asks."""
    config = "port 0 verify require\n"
    dashboard = json.loads(DASHBOARD.read_text())
    with Gateway(build, tmp_path, [LOOPED, SINK], config=config) as gateway:
        secret = ONE.key.secret.decode()
        gateway.call("key.add", id=ONE.key.id, algorithm="sha256", profile="linux", secret=secret)
        settled(gateway.stats, lambda stats: stats["verified"] > 0)
        with serving(gateway.socket, "127.0.0.1:0") as where, prometheus(tmp_path, where) as ask:
            settled(lambda: ask("rate(segseal_rx_packets_total[1m])"), bool, seconds=60)
            for expression, legend in queries(dashboard["panels"]):
                expression = expression.replace("$__rate_interval", "1m").replace("$instance", ".*")
                if expression.endswith(("> 0", "> 0)")):
                    answers = ask(expression)  # none where nothing was dropped
                else:  # none for a moment after a scrape that took too long
                    answers = settled(lambda query=expression: ask(query), bool, seconds=60)
                for label in re.findall(r"\{\{(\w+)\}\}", legend):
                    assert all(label in metric for metric, _ in answers), expression
            verified = 'sum(rate(segseal_passed_packets_total{verdict="verified"}[1m]))'
            settled(lambda: ask(verified), lambda now: now and now[0][1] > 0, seconds=60)
            settled(
                lambda: ask("segseal_worker_busy_ratio"),
                lambda now: now and 0 < now[0][1] <= 1,
                seconds=60,
            )
            gateway.call("quit")
            assert gateway.wait() == 0
            settled(lambda: ask("segseal_up"), lambda up: up and up[0][1] == 0, seconds=60)


def test_dashboard_asks_for_what_there_is(build, tmp_path):
    config = "port 0 verify require\n"
    with Gateway(build, tmp_path, [LOOPED, SINK], config=config) as gateway:
        secret = ONE.key.secret.decode()
        gateway.call("key.add", id=ONE.key.id, algorithm="sha256", profile="linux", secret=secret)
        settled(gateway.stats, lambda stats: stats["verified"] > 0)
        samples = parse(scrape(gateway))
    labels = {}
    for name, pairs in samples:
        labels.setdefault(name, set()).update(label for label, _ in pairs)

    dashboard = json.loads(DASHBOARD.read_text())
    asked = list(queries(dashboard["panels"]))
    assert len(asked) > 20
    named = set()
    for expression, legend in asked:
        names = re.findall(r"segseal_\w+", expression)
        assert names and set(names) <= labels.keys(), expression
        named.update(names)
        wanted = re.findall(r"\{\{(\w+)\}\}", legend) + re.findall(r"by \((\w+)\)", expression)
        assert all(label in labels[name] for name in names for label in wanted), (expression, legend)
    # And all that is counted can be seen.
    counted = {name for name in labels if name.endswith("_total")}
    assert counted - named == {
        "segseal_port_received_packets_total",
        "segseal_port_transmitted_packets_total",
    }
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(places)
