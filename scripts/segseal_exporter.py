#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prometheus exporter: what segseal counts, as text that Prometheus scrapes (docs/telemetry.md).

Asks the gateway anew for each scrape, over its control socket. Needs no more than to be allowed to
open it. A gateway that does not answer is segseal_up 0.
"""
import argparse
import http.server
import os
import socket
import socketserver
import stat
import sys

from segseal_client import SOCKET, Client

LISTEN = "127.0.0.1:9474"
KEYS = 1000  # keys that get series of their own
SECONDS = 5  # for an answer of the gateway, and for a scraper to read
EVENTS = ("rx", "tx", "inserted", "stripped", "already_sealed")  # of a port's gate; others: verdicts
METHODS = ("version", "port.list", "port.stats", "key.list", "worker.list", "icmp.get")
KEY_STATES = ("future", "accepting", "sending", "expired")

DEVICE = (
    ("ipackets", "received_packets", "Packets that the device received"),
    ("opackets", "transmitted_packets", "Packets that the device sent"),
    ("ibytes", "received_bytes", "Octets that the device received"),
    ("obytes", "transmitted_bytes", "Octets that the device sent"),
    ("imissed", "missed_packets", "Packets that the receive queues had no room for"),
    ("ierrors", "receive_errors", "Packets received with errors"),
    ("oerrors", "transmit_errors", "Packets that could not be sent"),
    ("rx_nombuf", "no_buffers", "Times that no packet buffer was free"),
)
GATE = (
    ("rx", "Packets that came in by the port"),
    ("tx", "Packets that came in by the port and left by its peer"),
    ("inserted", "Packets that got an HMAC TLV"),
    ("stripped", "Packets that lost their HMAC TLV"),
    ("already_sealed", "Packets that had an HMAC where one was to be inserted"),
)
KEY = (
    ("verified", "Packets whose HMAC was right"),
    ("failed", "Packets whose HMAC was wrong"),
    ("inserted", "Packets that got an HMAC of this key"),
)
WORKER = (
    ("packets", "packets", "Packets received"),
    ("cycles", "cycles", "TSC cycles that passed"),
    ("busy_cycles", "busy_cycles", "TSC cycles that were spent on packets"),
    ("memo_hits", "memo_hits", "HMACs that were answered from memory"),
    ("memo_misses", "memo_misses", "HMACs that had to be computed"),
    ("memo_evictions", "memo_evictions", "Remembered HMACs that were given up for others"),
)


class Page:
    """Metric families in the text format, version 0.0.4."""

    def __init__(self):
        self.lines = []

    def family(self, name, kind, text):
        self.lines += [f"# HELP segseal_{name} {text}", f"# TYPE segseal_{name} {kind}"]

    def sample(self, name, value, /, **labels):
        pairs = ",".join(f'{label}="{escape(text)}"' for label, text in labels.items())
        self.lines.append(f"segseal_{name}{{{pairs}}} {value}" if pairs else f"segseal_{name} {value}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def escape(text):
    return str(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def ask(path):
    """{method: result}; OSError or ValueError if the gateway does not answer as it should."""
    with Client(path, SECONDS) as gateway:
        answers = gateway.batch([(method, None) for method in METHODS])
    for method, answer in zip(METHODS, answers):
        if "result" not in answer:
            raise ValueError(f"{method}: {answer['error']['message']}")
    return {method: answer["result"] for method, answer in zip(METHODS, answers)}


def put_ports(page, ports, stats):
    page.family("port_info", "gauge", "What a port is and does; always 1")
    for port in ports:
        insert = "off" if port["insert"] is None else port["insert"]
        peer = "none" if port["peer"] is None else port["peer"]
        page.sample(
            "port_info",
            1,
            port=port["port"],
            name=port["name"],
            driver=port["driver"],
            peer=peer,
            verify=port["verify"],
            strip="on" if port["strip"] else "off",
            insert=insert,
        )
    page.family("port_link_up", "gauge", "1 if the link is up")
    for port in ports:
        page.sample("port_link_up", int(port["link"] == "up"), port=port["port"])
    for member, name, text in DEVICE:
        page.family(f"port_{name}_total", "counter", text)
        for port in stats:
            page.sample(f"port_{name}_total", port[member], port=port["port"])


def put_gate(page, stats):
    for name, text in GATE:
        page.family(f"{name}_packets_total", "counter", text)
        for port in stats:
            page.sample(f"{name}_packets_total", port["gate"][name], port=port["port"])
    page.family("passed_packets_total", "counter", "Packets that were let through, by verdict")
    for port in stats:
        for verdict, count in port["gate"].items():
            if verdict not in EVENTS and verdict != "drops":
                page.sample("passed_packets_total", count, port=port["port"], verdict=verdict)
    page.family("dropped_packets_total", "counter", "Packets that were dropped, by reason")
    for port in stats:
        for reason, count in port["gate"]["drops"].items():
            page.sample("dropped_packets_total", count, port=port["port"], reason=reason)


def put_keys(page, keys, most):
    page.family("keys", "gauge", "Keys, by the state that their windows put them in")
    for state in KEY_STATES:
        page.sample("keys", sum(key["state"] == state for key in keys), state=state)
    shown = keys[:most]
    page.family("keys_not_exported", "gauge", "Keys that have no series of their own here")
    page.sample("keys_not_exported", len(keys) - len(shown))
    page.family("key_info", "gauge", "What a key is, and its state; always 1")
    for key in shown:
        words = {name: key[name] for name in ("algorithm", "profile", "state")}
        page.sample("key_info", 1, key=key["id"], **words)
    for name, text in KEY:
        page.family(f"key_{name}_packets_total", "counter", text)
        for key in shown:
            page.sample(f"key_{name}_packets_total", key[name], key=key["id"])
    page.family("key_idle_seconds", "gauge", "Time since the key was used last, if it ever was")
    for key in shown:
        if key["last_used_seconds"] is not None:
            page.sample("key_idle_seconds", key["last_used_seconds"], key=key["id"])


def put_bursts(page, workers):
    name = "worker_burst_packets"
    page.family(name, "histogram", "Packets in each receive that gave some")
    for worker in workers:
        number, seen = worker["worker"], 0
        for size, count in worker["burst_sizes"].items():
            seen += count
            page.sample(f"{name}_bucket", seen, worker=number, le=size.split("-")[-1])
        page.sample(f"{name}_bucket", seen, worker=number, le="+Inf")
        page.sample(f"{name}_sum", worker["packets"], worker=number)
        page.sample(f"{name}_count", seen, worker=number)


def put_workers(page, workers):
    def gauge(name, text, value):
        page.family(f"worker_{name}", "gauge", text)
        for worker in workers:
            result = value(worker)
            if result is not None:
                page.sample(f"worker_{name}", result, worker=worker["worker"])

    page.family("worker_info", "gauge", "Where a worker runs, and its state; always 1")
    for worker in workers:
        words = {name: worker[name] for name in ("worker", "lcore", "socket", "state")}
        page.sample("worker_info", 1, **words)
    gauge("stuck", "1 if the worker does not respond", lambda one: int(one["state"] == "stuck"))
    gauge(
        "heartbeat_age_seconds",
        "Time since the worker ended its last loop",
        lambda one: None if one["heartbeat_ms"] is None else one["heartbeat_ms"] / 1000,
    )
    gauge(
        "cycles_per_packet",
        "TSC cycles spent on a packet, since the counters were cleared",
        lambda one: one["cycles_per_packet"],
    )
    gauge(
        "busy_ratio",
        "Share of the time that was spent on packets, since the counters were cleared",
        lambda one: one["busy_cycles"] / one["cycles"] if one["cycles"] else 0,
    )
    for member, name, text in WORKER:
        page.family(f"worker_{name}_total", "counter", text)
        for worker in workers:
            page.sample(f"worker_{name}_total", worker[member], worker=worker["worker"])
    put_bursts(page, workers)


def metrics(path, most=KEYS):
    """The whole page; of a gateway that does not answer, segseal_up 0."""
    page = Page()
    page.family("up", "gauge", "1 if the gateway answered")
    try:
        told = ask(path)
    except (OSError, ValueError) as error:
        print(f"segseal_exporter.py: {path}: {error}", file=sys.stderr)
        page.sample("up", 0)
        return page.text()
    page.sample("up", 1)
    page.family("build_info", "gauge", "Versions; always 1")
    names = ("version", "dpdk", "ipsec_mb")
    page.sample("build_info", 1, **{name: told["version"][name] for name in names})
    stats = told["port.stats"]["ports"]
    put_gate(page, stats)
    put_ports(page, told["port.list"]["ports"], stats)
    put_keys(page, told["key.list"]["keys"], most)
    put_workers(page, told["worker.list"]["workers"])
    page.family("icmp_errors_sent_total", "counter", "ICMPv6 errors that were sent")
    page.sample("icmp_errors_sent_total", told["icmp.get"]["sent"])
    page.family("icmp_errors_limited_total", "counter", "ICMPv6 errors that the limit held back")
    page.sample("icmp_errors_limited_total", told["icmp.get"]["limited"])
    return page.text()


def remove_socket(path):
    """One that a server before us left; nothing else."""
    if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
        os.unlink(path)


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = SECONDS
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        if self.path.split("?")[0] != "/metrics":
            self.send_error(404, "only /metrics is here")
            return
        body = metrics(self.server.gateway, self.server.keys).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return str(self.client_address[0]) if self.client_address else "local"

    def log_request(self, *_):
        pass  # each scrape would be a line


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, address, gateway, keys):
        if not isinstance(address, str):
            self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        else:
            self.address_family = socket.AF_UNIX
        self.gateway, self.keys = gateway, keys
        super().__init__(address, Handler)

    def server_bind(self):
        if self.address_family == socket.AF_UNIX:
            remove_socket(self.server_address)
            self.socket.bind(self.server_address)
            self.server_name, self.server_port = "localhost", 0
        else:
            super().server_bind()

    def handle_error(self, request, client_address):
        """A scraper that goes away or is too slow is no news."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def parse_address(text):
    """unix:PATH as a string, HOST:PORT as a pair; a host of IPv6 may stand in brackets."""
    if text.startswith("unix:") and text[5:]:
        return text[5:]
    host, _, port = text.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is neither HOST:PORT nor unix:PATH")
    return host, int(port)


def main():
    parser = argparse.ArgumentParser(
        description="Serve what segseal counts to Prometheus, at /metrics."
    )
    parser.add_argument("-s", "--socket", default=SOCKET, help="control socket of segseal")
    parser.add_argument(
        "--listen", type=parse_address, default=LISTEN, help=f"HOST:PORT or unix:PATH ({LISTEN})"
    )
    parser.add_argument(
        "--keys", type=int, default=KEYS, help=f"keys that get series of their own ({KEYS})"
    )
    parser.add_argument("--once", action="store_true", help="print the page and end")
    args = parser.parse_args()
    if args.once:
        page = metrics(args.socket, args.keys)
        print(page, end="")
        return 0 if "\nsegseal_up 1\n" in page else 1
    try:
        with Server(args.listen, args.socket, args.keys) as server:
            where = server.server_address
            if not isinstance(where, str):
                where = f"{where[0]}:{where[1]}"
            print(f"segseal_exporter.py: listening on {where}", file=sys.stderr, flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"segseal_exporter.py: {args.listen}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
