# SPDX-License-Identifier: BSD-3-Clause
"""Real hosts on one machine: network namespaces that veth pairs join.

    host A  a0 ---- g0  gateway  g1 ---- b0  host B
    fd5e::a                                  fd5e::b

A and B are on one link through whatever joins g0 and g1: the gateway's ends have no address at
all. B has SIDs and service addresses, and A routes the services through the SIDs; A has one of each
for the way back. A lab owns every namespace and process that it made, and takes down just those.
"""
import os
import subprocess
import time

PREFIX = "segseal"
LINK = "fd5e::"
ADDR_A, ADDR_B = "fd5e::a", "fd5e::b"
ADDR4_A, ADDR4_B = "192.0.2.1", "192.0.2.2"
SID_PREFIX = "fc00:b::/32"
SERVICE, SERVICE_PREFIX = "fd5e:b::1", "fd5e:b::/64"
SERVICE4, SERVICE4_PREFIX = "198.51.100.1", "198.51.100.0/24"
SID_A, SID_A_PREFIX = "fc00:a:1::1", "fc00:a::/32"
SERVICE_A, SERVICE_A_PREFIX = "fd5e:a::1", "fd5e:a::/64"
SERVICE_L2, CLIENT_L2 = "fd5e:d::2", "fd5e:c::2"
SEGMENTS_MAX = 14  # in one SRH with HMAC: more does not fit the kernel's hash buffer
MTU = 1500
MTU_DOMAIN = 1700  # inside the domain: what a gateway adds must fit


SID_DX2, SID_DT6 = "fc00:b:d2::1", "fc00:b:d6::1"


def sid(number):
    """A SID of B that is an address of it: the kernel's ipv6_srh_rcv() takes the packet."""
    return f"fc00:b:{number:x}::1"


def sid_end(number):
    """A SID of B with the behaviour End: the kernel's seg6local takes the packet."""
    return f"fc00:b:e00:{number:x}::1"


def run(*args, namespace=None, check=True, **kwargs):
    """Run a program to its end, in a namespace if one is named."""
    command = list(args)
    if namespace:
        command = ["ip", "netns", "exec", namespace, *command]
    kwargs.setdefault("timeout", 30)
    done = subprocess.run(command, text=True, capture_output=True, check=False, **kwargs)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: "
                           f"{done.stderr.strip() or done.stdout.strip()}")
    return done


def ip(namespace, *lines):
    """Run lines of `ip` in a namespace, stopping at the first that fails."""
    return run("ip", "-n", namespace, "-batch", "-", input="\n".join(lines) + "\n")


def sysctl(namespace, **values):
    """Set net.ipv6.conf values; a double underscore stands for a slash: all__seg6_enabled=1."""
    run("sysctl", "-qw",
        *(f"net/ipv6/conf/{name.replace('__', '/')}={value}" for name, value in values.items()),
        namespace=namespace)


def sysctl_get(namespace, name):
    return run("cat", f"/proc/sys/net/ipv6/conf/{name}", namespace=namespace).stdout.strip()


def wait_for_addresses(namespace):
    """A new address may be bound to when it is no longer tentative, which is a matter of moments."""
    for _ in range(200):
        if not run("ip", "-n", namespace, "-6", "address", "show", "tentative").stdout.strip():
            return
        time.sleep(0.01)
    raise RuntimeError(f"{namespace}: addresses stay tentative")


class Lab:
    """Hosts A and B with a gateway between; `hops` gateways in a row if more than one."""

    def __init__(self, hops=1, mtu=MTU, mtu_domain=MTU_DOMAIN, l2=False, tag=None):
        self.tag = tag or f"{PREFIX}-{os.getpid()}-{time.monotonic_ns() % 10**6:06d}"
        self.namespaces = []
        self.processes = []
        self.closers = []
        self.hops = hops
        try:
            self._build(mtu, mtu_domain, l2)
        except BaseException:
            self.close()
            raise

    def _build(self, mtu, mtu_domain, l2):
        self.a = self.namespace("a")
        self.gateways = [self.namespace(f"g{i}") for i in range(self.hops)]
        self.g = self.gateways[0]
        self.b = self.namespace("b")
        self.c = self.namespace("c") if l2 else None
        self.d = self.namespace("d") if l2 else None
        ends = [(self.a, "a0")]
        for gateway in self.gateways:
            ends += [(gateway, "g0"), (gateway, "g1")]
        ends.append((self.b, "b0"))
        for i in range(0, len(ends), 2):
            self.link(*ends[i], *ends[i + 1], mtu=mtu if i == 0 else mtu_domain)
        for gateway in self.gateways:
            for port in ("g0", "g1"):
                self.quiet(gateway, port)
        self._hosts(mtu)
        if l2:
            self._l2(mtu)
        for namespace in self.namespaces:
            wait_for_addresses(namespace)

    # --- pieces ---

    def namespace(self, name):
        full = f"{self.tag}-{name}"
        run("ip", "netns", "add", full)
        self.namespaces.append(full)
        # No waiting for duplicate address detection, no router's word on routes.
        sysctl(full, default__accept_dad=0, all__accept_dad=0, default__accept_ra=0,
               default__dad_transmits=0, default__router_solicitations=0)
        ip(full, "link set lo up")
        return full

    def link(self, ns1, if1, ns2, if2, mtu, addr_mac=None):
        """A veth pair between two namespaces, up, that computes every checksum itself."""
        mac = f"address {addr_mac}" if addr_mac else ""
        ip(ns1, f"link add {if1} mtu {mtu} {mac} type veth peer name {if2} mtu {mtu} netns {ns2}")
        for name, dev in ((ns1, if1), (ns2, if2)):
            # What leaves by AF_PACKET or AF_XDP is what a cable would carry: whole checksums, no
            # frame longer than the MTU, the VLAN tag in its place.
            run("ethtool", "-K", dev, "tx", "off", "rx", "off", "tso", "off", "gso", "off",
                "gro", "off", "sg", "off", namespace=name)
            ip(name, f"link set {dev} up")

    def quiet(self, namespace, dev):
        """The kernel of this namespace says nothing by dev and takes nothing from it."""
        sysctl(namespace, **{f"{dev}__disable_ipv6": 1})
        ip(namespace, f"link set {dev} promisc on")

    def join(self, namespace, *devs, name="br0"):
        """Make the kernel switch frames between devices."""
        ip(namespace, f"link add {name} type bridge",
           *(f"link set {dev} master {name}" for dev in devs), f"link set {name} up")
        sysctl(namespace, **{f"{name}__disable_ipv6": 1})

    def _hosts(self, mtu):
        sids = [f"address add {sid(i)}/128 dev lo" for i in range(1, SEGMENTS_MAX + 2)]
        ends = [f"route add {sid_end(i)}/128 encap seg6local action End dev b0"
                for i in range(1, SEGMENTS_MAX + 2)]
        ends.append(f"route add {SID_DT6}/128 encap seg6local action End.DT6 table local dev b0")
        ip(self.a, f"address add {ADDR_A}/64 dev a0 nodad",
           f"address add {ADDR4_A}/24 dev a0",
           f"address add {SID_A}/128 dev lo", f"address add {SERVICE_A}/128 dev lo",
           f"route add {SID_PREFIX} via {ADDR_B} dev a0",
           f"route add {SERVICE_PREFIX} via {ADDR_B} dev a0 mtu {mtu}",
           f"route add {SERVICE4_PREFIX} via {ADDR4_B} dev a0 mtu {mtu}")
        ip(self.b, f"address add {ADDR_B}/64 dev b0 nodad",
           f"address add {ADDR4_B}/24 dev b0",
           f"address add {SERVICE}/128 dev lo", f"address add {SERVICE4}/32 dev lo",
           f"route add {SID_A_PREFIX} via {ADDR_A} dev b0",
           f"route add {SERVICE_A_PREFIX} via {ADDR_A} dev b0", *sids, *ends)
        # The enabling sysctl is the smaller of `all` and the interface's own.
        sysctl(self.a, all__seg6_enabled=1, a0__seg6_enabled=1)
        sysctl(self.b, all__seg6_enabled=1, b0__seg6_enabled=1)

    def _l2(self, mtu):
        """
        Behind A a client whose frames A wraps, behind B a server that gets them as the client sent
        them: it has the MAC that the client sent to.
        """
        mac = "02:5e:00:00:00:01"
        self.link(self.a, "a1", self.c, "c0", mtu, addr_mac=mac)
        self.link(self.d, "d0", self.b, "b1", mtu, addr_mac=mac)
        ip(self.a, "address add fd5e:c::1/64 dev a1 nodad")
        ip(self.c, f"address add {CLIENT_L2}/64 dev c0 nodad", "route add default via fd5e:c::1")
        ip(self.d, f"address add {SERVICE_L2}/128 dev lo", "address add fd5e:d::d/64 dev d0 nodad",
           "route add default via fd5e:d::b")
        # What D answers goes back through B and A unwrapped.
        ip(self.b, "address add fd5e:d::b/64 dev b1 nodad", f"route add fd5e:c::/64 via {ADDR_A}",
           f"route add {SID_DX2}/128 encap seg6local action End.DX2 oif b1 dev b0")
        sysctl(self.a, all__forwarding=1)
        sysctl(self.b, all__forwarding=1)

    # --- what tests do ---

    def seal_route(self, mode, segments, key_id=None, prefix=SERVICE_PREFIX, change="replace"):
        """A's traffic to prefix gets an SRH; with an HMAC if a key is named."""
        via = "" if "." in prefix else f"via {ADDR_B} "
        hmac = f" hmac {key_id}" if key_id else ""
        ip(self.a, f"route {change} {prefix} encap seg6 mode {mode} "
                   f"segs {','.join(segments)}{hmac} {via}dev a0")

    def seal_route_back(self, key_id=None):
        """B's traffic to A's service gets an SRH; with an HMAC if a key is named."""
        hmac = f" hmac {key_id}" if key_id else ""
        ip(self.b, f"route replace {SERVICE_A_PREFIX} encap seg6 mode encap segs {SID_A}{hmac} "
                   f"via {ADDR_A} dev b0")

    def require_hmac(self, value, dev="b0"):
        sysctl(self.a if dev == "a0" else self.b, **{f"{dev}__seg6_require_hmac": value})

    def bridge(self):
        """Join the gateway's ports by the kernel: what there is before segseal."""
        for gateway in self.gateways:
            self.join(gateway, "g0", "g1")

    def snmp6(self, namespace, *names):
        """Counters of /proc/net/snmp6."""
        rows = dict(line.split() for line in
                    run("cat", "/proc/net/snmp6", namespace=namespace).stdout.splitlines())
        return {name: int(rows[name]) for name in names}

    # --- lifetime ---

    def popen(self, namespace, *args, **kwargs):
        process = subprocess.Popen(["ip", "netns", "exec", namespace, *args], **kwargs)
        self.processes.append(process)
        return process

    def close(self):
        for closer in reversed(self.closers):
            closer()
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for namespace in reversed(self.namespaces):
            run("ip", "netns", "del", namespace, check=False)
        self.closers, self.processes, self.namespaces = [], [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
