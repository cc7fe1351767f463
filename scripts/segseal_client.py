#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Client of segseal's control socket (JSON-RPC 2.0, one object per line); see docs/api.md.

    with Client("/run/segseal/segseal.sock") as gateway:
        gateway.call("key.add", id=1001, algorithm="sha256", profile="linux", secret="secret-key-one")
        print(gateway.call("stats.get")["verified"])

From the shell: segseal_client.py [-s SOCKET] METHOD [PARAMS-AS-JSON]. Secrets belong in no argument
list: PARAMS "-" reads them from standard input.
"""
import argparse
import errno
import json
import socket
import sys
import time

SOCKET = "/run/segseal/segseal.sock"


class SegsealError(Exception):
    """The server's answer to a request that failed."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.errno_name = (error.get("data") or {}).get("errno")


class Client:
    """One connection. Blocks, each time for timeout seconds at most."""

    def __init__(self, path=SOCKET, timeout=10.0):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(timeout)
        try:
            self.sock.connect(path)
        except OSError:
            self.sock.close()
            raise
        self.buffer = b""
        self.next_id = 1
        self.events = []  # that came while an answer was waited for

    @classmethod
    def wait(cls, path=SOCKET, seconds=20.0, timeout=10.0):
        """Connect to a gateway that is just starting."""
        end = time.monotonic() + seconds
        while True:
            try:
                return cls(path, timeout)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ECONNREFUSED) or time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send_raw(self, data):
        """Octets as they are, for those who test the server."""
        self.sock.sendall(data)

    def read_line(self):
        """The next line without its newline; what is left, or b"", at the end of the stream."""
        parts = [self.buffer]
        while b"\n" not in parts[-1]:
            try:
                part = self.sock.recv(65536)
            except TimeoutError:
                self.buffer = b"".join(parts)
                raise
            if not part:
                self.buffer = b""
                return b"".join(parts)
            parts.append(part)
        line, _, self.buffer = b"".join(parts).partition(b"\n")
        return line

    def read_message(self):
        line = self.read_line()
        if not line:
            raise ConnectionError("segseal closed the connection")
        return json.loads(line)

    def read_answer(self):
        """The next answer; events that come before it are kept for event()."""
        while True:
            message = self.read_message()
            if not isinstance(message, dict) or "method" not in message:
                return message
            self.events.append(message["params"])

    def event(self):
        """The next event (see events.subscribe); TimeoutError when none comes for timeout seconds."""
        while not self.events:
            message = self.read_message()
            if message.get("method") == "event":
                self.events.append(message["params"])
        return self.events.pop(0)

    def request(self, method, params=None):
        """A request object with an id of its own."""
        request = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        self.next_id += 1
        if params:
            request["params"] = params
        return request

    def call(self, method, **params):
        """The result of one call; SegsealError if it failed."""
        self.send_raw(json.dumps(self.request(method, params)).encode() + b"\n")
        answer = self.read_answer()
        if "error" in answer:
            raise SegsealError(answer["error"])
        return answer["result"]

    def notify(self, method, **params):
        """Call without an answer."""
        request = self.request(method, params)
        del request["id"]
        self.send_raw(json.dumps(request).encode() + b"\n")

    def batch(self, calls):
        """[(method, {params}), ...] in one line; their response objects, in that order."""
        requests = [self.request(method, params) for method, params in calls]
        self.send_raw(json.dumps(requests).encode() + b"\n")
        return self.read_answer()


def main():
    parser = argparse.ArgumentParser(description="Call one method of segseal's control socket.")
    parser.add_argument("-s", "--socket", default=SOCKET)
    parser.add_argument("method")
    parser.add_argument("params", nargs="?", help="a JSON object, - for standard input")
    args = parser.parse_args()
    try:
        params = json.loads(sys.stdin.read() if args.params == "-" else args.params or "{}")
        with Client(args.socket) as client:
            print(json.dumps(client.call(args.method, **params)))
    except (SegsealError, ValueError, TypeError, OSError) as error:
        print(f"segseal_client.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
