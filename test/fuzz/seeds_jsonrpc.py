# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of fuzz_jsonrpc.c: options, how to cut, then what a client sends."""


def call(method, params=None, id="1"):
    text = '{"jsonrpc":"2.0","id":%s,"method":"%s"' % (id, method)
    if params is not None:
        text += ',"params":' + params
    return text.encode("latin-1") + b"}"


LINES = {
    "echo": call("echo", '{"a":[1,2.5,null,true,"x"],"b":{}}'),
    "echo-nothing": call("echo"),
    "fail": call("fail", "{}", '"text"'),
    "later": call("later") + b"\n" + call("echo", "{}", "2"),
    "number": call("number", '{"n":100}', "2.5"),
    "number-101": call("number", '{"n":101}'),
    "number-other": call("number", '{"n":1,"m":2}'),
    "secret": call("secret", '{"secret":"\1"}'),
    "secret-hex": call("secret", '{"secret_hex":"00ff"}'),
    "secret-both": call("secret", '{"secret":"\1","secret_hex":"\1"}'),
    "secret-number": call("secret", '{"secret":["\1"]}'),
    "no-method": call("key.none"),
    "params-array": call("echo", "[1]"),
    "params-text": call("echo", '"x"'),
    "notification": b'{"jsonrpc":"2.0","method":"echo"}\n' + call("echo"),
    "id-null": call("echo", "{}", "null"),
    "id-object": call("echo", "{}", "{}"),
    "version": b'{"jsonrpc":"1.0","id":3,"method":"echo"}',
    "batch": b"[" + call("echo") + b"," + call("later") + b",1," + call("fail") + b"]",
    "listen": call("listen") + b"\n" + call("later") + b"\n" + call("echo"),
    "listen-batch": b"[" + call("listen") + b"," + call("later") + b"," + call("echo") + b"]",
    "listen-silent": b'{"jsonrpc":"2.0","method":"listen"}\n' + call("echo"),
    "batch-empty": b"[]",
    "batch-silent": b'[{"jsonrpc":"2.0","method":"later"}]\n' + call("echo"),
    "blank": b"\n \t\r\n\n" + call("echo"),
    "not-json": b'{"jsonrpc":"2.0",\n' + call("echo"),
    "scalars": b'1\n"x"\nnull\ntrue\n',
    "twice": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}',
    "utf-8": call("echo", '{"\xc3\xa4":"\xe2\x82\xac\\u0000\\ud83d\\ude00"}'),
    "bad-utf-8": call("echo", '{"\xc3":"\xff"}'),
    "nul": b'{"jsonrpc":"2.0\0"}',
    "deep": b"[" * 100 + b"]" * 100,
    "big-number": call("echo", "{}", "99999999999999999999"),
    "long-line": call("echo", '{"a":"' + "\2" * 13 + '"}') + b"\n" + call("echo"),
    "too-long-line": call("echo", '{"a":"' + "\2" * 14 + '"}') + b"\n" + call("echo"),
}


def seeds():
    for name, text in LINES.items():
        yield name, b"\0\0" + text
    yield "by-octets", b"\0\1" + LINES["batch"]
    yield "by-pieces", b"\0\x0a" + LINES["later"] + b"\n" + LINES["batch"]
    yield "long-in-pieces", b"\0\x81" + LINES["too-long-line"]
    yield "hang-up", b"\1\x10" + LINES["later"]
    yield "listen-by-octets", b"\0\1" + LINES["listen-batch"] + b"\n" + LINES["batch"]
    yield "listen-hang-up", b"\1\x10" + LINES["listen"]
    yield "no-newline", b"\2\0" + LINES["echo"]
