# SPDX-License-Identifier: BSD-3-Clause
"""A gateway without packets: the methods of docs/api.md over a table of keys, for tests of what
stands on the other side of the socket."""

import json
import re
import socketserver
import threading
import time

DROPS = ("hmac_mismatch", "no_srh")


class Failed(Exception):
    def __init__(self, code, message, errno_name=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if errno_name:
            self.error["data"] = {"errno": errno_name}


class FakeGateway(socketserver.ThreadingUnixStreamServer):
    """Listens on path while the with block runs. requests: all that came in, in order."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path):
        super().__init__(str(path), Handler)
        self.lock = threading.Lock()
        self.requests = []
        self.keys = {}
        self.secrets = {}
        self.sids = []
        self.ports = [self.new_port(number) for number in range(2)]
        self.rx = 0
        self.delay = 0.0
        self.go = threading.Event()  # no answer while it is clear
        self.go.set()
        self.quit = False
        self.forwarding = True
        self.hang_up = False  # at the next request

    @staticmethod
    def new_port(number):
        return {
            "port": number,
            "name": f"net_null{number}",
            "driver": "net_null",
            "mac": f"02:00:00:00:00:0{number}",
            "socket": 0,
            "link": "up",
            "speed_mbps": 10000,
            "mtu": 1500,
            "promiscuous": True,
            "rx_queues": 1,
            "tx_queues": 1,
            "peer": 1 - number,
            "verify": "off",
            "strip": False,
            "insert": None,
        }

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    # --- methods

    def key_add(self, params):
        if params["id"] in self.keys:
            raise Failed(-32000, f"key.add: key {params['id']} is there already", "EEXIST")
        return self.key_set(params)

    def key_set(self, params):
        self.secrets[params["id"]] = bytes.fromhex(params["secret_hex"])
        self.keys[params["id"]] = {
            "id": params["id"],
            "algorithm": params["algorithm"],
            "profile": params["profile"],
            "secret_length": len(params["secret_hex"]) // 2,
            "fingerprint": "90d27d4ef3c9a1b2",
            "verified": 0,
            "failed": 0,
            "inserted": 0,
            "last_used_seconds": None,
        }
        return {"id": params["id"], "fingerprint": "90d27d4ef3c9a1b2"}

    def key_del(self, params):
        if self.keys.pop(params["id"], None) is None:
            raise Failed(-32000, f"key.del: no key {params['id']}", "ENOENT")
        return {}

    def key_list(self, params):
        if "id" in params and params["id"] not in self.keys:
            raise Failed(-32000, f"key.list: no key {params['id']}", "ENOENT")
        ids = [params["id"]] if "id" in params else sorted(self.keys)
        return {"keys": [self.keys[one] for one in ids]}

    def key_load(self, params):
        raise Failed(-32000, f"key.load: {params['path']}:3: unknown algorithm", "EINVAL")

    def port_of(self, params, method):
        if params["port"] >= len(self.ports):
            raise Failed(-32000, f"{method}: no port {params['port']}", "ENODEV")
        return self.ports[params["port"]]

    def port_set(self, params):
        self.port_of(params, "port.set").update(params)
        return {}

    def port_list(self, params):
        if "port" in params:
            return {"ports": [self.port_of(params, "port.list")]}
        return {"ports": self.ports}

    def port_stats(self, _params):
        names = "ipackets opackets ibytes obytes imissed ierrors oerrors rx_nombuf".split()
        ports = []
        for port in self.ports:
            self.rx += 1000
            stats = dict.fromkeys(names, 0)
            stats.update(port=port["port"], ipackets=self.rx, ibytes=100 * self.rx)
            ports.append({**stats, "gate": self.stats_get({})})
        return {"ports": ports}

    def port_stats_clear(self, _params):
        return {}

    def sid_add(self, params):
        self.sids.append(params["prefix"])
        return {}

    def sid_del(self, params):
        self.sids.remove(params["prefix"])
        return {}

    def sid_list(self, _params):
        return {"sids": self.sids}

    def icmp_get(self, _params):
        return {"source": None, "rate": 100, "sent": 0, "limited": 0}

    def log_get(self, _params):
        return {"drops": True, "rate": 5}

    def stats_get(self, _params):
        self.rx += 1000
        return {"rx": self.rx, "tx": self.rx, "drops": dict.fromkeys(DROPS, 0)}

    def stats_clear(self, _params):
        self.rx = 0
        return {}

    def start(self, _params):
        self.forwarding = True
        return {"running": True}

    def stop(self, _params):
        self.forwarding = False
        return {"running": False}

    def do_quit(self, _params):
        self.quit = True
        return {}

    def version(self, _params):
        return {"version": "0.1.0", "dpdk": "DPDK 0", "ipsec_mb": "0", "capabilities": ["keys"]}

    def worker_list(self, _params):
        worker = {"worker": 0, "lcore": 1, "socket": 0, "running": True, "packets": 5}
        workers = [{**worker, "queues": [{"port": 0, "queue": 0}]}]
        return {"workers": workers, "forwarding": self.forwarding, "stuck_after_ms": 1000}

    def events_list(self, _params):
        return {"events": [], "drop_rate": 1000, "subscribers": 0}

    def answer(self, request):
        method = request["method"]
        name = "do_quit" if method == "quit" else re.sub("[.-]", "_", method)
        response = {"jsonrpc": "2.0", "id": request.get("id")}
        with self.lock:
            self.requests.append(request)
        self.go.wait()
        with self.lock:
            time.sleep(self.delay)
            try:
                if not hasattr(self, name):
                    raise Failed(-32601, f"no method {method}")
                response["result"] = getattr(self, name)(request.get("params", {}))
            except Failed as failed:
                response["error"] = failed.error
        return response

    def methods(self):
        """Names of the methods that were called, in order."""
        with self.lock:
            return [request["method"] for request in self.requests]


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            if self.server.hang_up:
                return
            request = json.loads(line)
            batch = isinstance(request, list)
            answers = [self.server.answer(one) for one in (request if batch else [request])]
            text = json.dumps(answers if batch else answers[0])
            self.wfile.write(text.encode() + b"\n")
