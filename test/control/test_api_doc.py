# SPDX-License-Identifier: BSD-3-Clause
"""docs/api.md by the letter: each of its examples against a running gateway."""

import json
import os
import re

from control.live import TOP, Gateway
from replay import write_secret

QUIET = ["net_null0,no-rx=1", "net_null1,no-rx=1"]
KEYS = "1001 sha256 linux text:secret-key-one\n1002 sha256 rfc8754 hex:30313233\n"


def examples():
    """[(request, answer as it is printed)], in order."""
    text = (TOP / "docs" / "api.md").read_text()
    return re.findall(r"^--> (.*)\n<-- (.*)$", text, re.MULTILINE)


def shape(value):
    """Names and types; lists by what they hold, as far as they hold anything."""
    if isinstance(value, dict) and value.keys() & {"rx_good_packets"}:
        return {type(member).__name__ for member in value.values()}  # names are the driver's
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def methods():
    table = (TOP / "app" / "gateway" / "methods.c").read_text()
    return set(re.findall(r'^\t\{"([a-z.-]+)", ', table, re.MULTILINE))


def test_each_method_has_an_example():
    shown = {
        one["method"]
        for request, _ in examples()
        for one in [json.loads(request)]
        if isinstance(one, dict)
    }
    assert methods() - shown == set()


def test_examples(build, tmp_path):
    write_secret(tmp_path / "keys", KEYS)
    # No event but what the examples make, on however busy a machine.
    calm = "worker stuck-after 3600000\n"
    with Gateway(build, tmp_path, QUIET, options=["--keep-secrets"], config=calm) as gateway:
        for request, printed in examples():
            if os.getuid() != 0 and "key.show-secret" in request:
                continue  # for root alone
            gateway.client.send_raw(request.replace("/etc/segseal", str(tmp_path)).encode() + b"\n")
            answer = gateway.client.read_answer()
            expected = json.loads(printed.replace("/etc/segseal", str(tmp_path)))
            if isinstance(expected, dict) and "error" in expected:
                assert answer == expected, request
            else:
                assert shape(answer) == shape(expected), request
        assert gateway.wait() == 0
