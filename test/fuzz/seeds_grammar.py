# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of fuzz_grammar.c: lines of commands."""

FILES = {
    "keys": """# keys
key add 1001 sha256 linux
key add 0x2a sha1 rfc8754
key set 1001 sha512 rfc8754
key add 1001 sha1 linux
show keys
show keys 1001 json
show keys 7
key del 42
key del 43
""",
    "key-life": """key add 1 sha256 linux accept ..+1h send 2020-01-01T00:00:00Z..
key set 1 sha256 linux send ..
key add 2 sha256 linux accept +2h..+1h
key add 3 sha1 rfc8754 send 2026-02-30T00:00:00Z..
port 0 insert key 1
port 1 insert key 1
key rotate 1 2
key rotate 1 7
key show-secret 1
key window 1 accept ..+1h
key window 1 send +1s.. accept +2s..+1s
key window 1
key show-secret 1 json
show keys
show keys json
""",
    "drops": """icmp source 2001:db8::1
icmp rate 1
icmp rate 1000000
show icmp
show icmp json
icmp source ::
icmp source ff02::1
icmp source 192.0.2.1
log drops off
trace add 5
trace add 3 reason hmac_mismatch port 0 key 7
trace add 3 reason nothing
show trace
show trace json
trace clear
capture stop
show capture json
show port xstats all json
""",
    "key-files": """key add 1 sha1 linux secret-file /dev/null
key add 1 sha1 linux secret-hex-file /nowhere/at/all
key load "/no such file"
key load relative
load /nowhere
key load all
load all
""",
    "secret-in-place": """key add 1 sha1 linux zQ7kVw9xJ2pL
key add zQ7kVw9xJ2pL sha1 linux
key set 1 zQ7kVw9xJ2pL
key add 1 sha1 linux secret-file zQ7kVw9xJ2pL more
key zQ7kVw9xJ2pL
""",
    "ports": """port 0 peer 1
port 1 peer 1
port 0 verify require
port 0 verify if-present
port 1 verify off
port 0 strip on
port 0 insert key 1001
port 1 insert key 0xffffffff
port 0 insert off
port 1 mtu 1280
port 0 mtu 65535
port 2 verify off
port 65536 verify off
set promisc 0 on
show port info all
show port info 0 json
show port stats all json
show port stats 1
clear port stats 0
clear port stats all
""",
    "sids": """sid add fc00::/16
sid add fd00:1:2:3::/64
sid add ::/0
sid add fc00::1/16
sid add 2001:DB8::1/128
sid add 2001:db8::1/128
sid del fc00::/16
sid del fe80::/10
sid add ::ffff:192.0.2.0/120
show sids
show sids json
""",
    "show": """show stats
show stats json
clear stats
show config
show config json
show config fwd
show config rxtx json
show config cores
show engine
show engine json
show workers
show workers json
worker stuck-after 250
worker stuck-after 99
events drop-rate 1
events drop-rate 0
show events json
show events watch
show version json
start
stop
start
""",
    "words": """  port   0\tverify  "off"
port '0' verify require # a comment
port 0 verify "re\\quire"
port 0 verify "open
help port 0
help nothing
help
#
port 0 verify
port
show sh
show p
""",
    "not-text": "show \x7f\nshow \x01\nk\u00e4y add\n\n\r\nshow stats\r\n",
    "long": "port 0 verify " + "x" * 500 + "\n" + "sid add " + "f" * 60 + "::/16\n",
    "many-words": "help" + " a" * 33 + "\n",
    "quit": "quit\nexit\n",
}


def seeds():
    for name, text in FILES.items():
        yield name, text.encode()
    yield "bad-utf-8", b"show \xff\xfe\nload \xc0\x80\nhelp \xed\xa0\x80\n"
