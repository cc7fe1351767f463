# SPDX-License-Identifier: BSD-3-Clause
"""Skip, loudly, where the machine cannot be the peer; count the cases that the kernel answered."""
import functools
import os
import pathlib
import subprocess

import pytest

from interop import netlab, seg6

HERE = pathlib.Path(__file__).parent


@functools.cache
def why_not():
    """Why this machine's kernel cannot be the peer, or None."""
    if os.geteuid():
        return "not root: network namespaces and HMAC keys need CAP_NET_ADMIN and CAP_SYS_ADMIN"
    if not os.path.exists("/proc/sys/net/ipv6/conf/all/seg6_require_hmac"):
        return "the kernel lacks SRv6 HMAC (CONFIG_IPV6_SEG6_HMAC): no seg6_require_hmac"
    for tool in ("ip", "ping", "ethtool", "sysctl"):
        try:
            subprocess.run([tool, "-V"], capture_output=True, check=False, timeout=10)
        except FileNotFoundError:
            return f"the tool {tool} is not installed (scripts/setup installs it)"
    name = f"{netlab.PREFIX}-probe-{os.getpid()}"
    try:
        netlab.run("ip", "netns", "add", name)
    except RuntimeError as error:
        return f"no network namespaces: {error}"
    try:
        netlab.run("true", namespace=name)
        with seg6.Genl(name) as genl:
            genl.set(1, "sha256", b"probe")
    except RuntimeError as error:
        return f"no program runs in a network namespace: {error}"
    except OSError as error:
        return f"no HMAC key can be set in the kernel: {error}"
    finally:
        netlab.run("ip", "netns", "del", name, check=False)
    return None


def _is_ours(path):
    return HERE in pathlib.Path(path).parents


def pytest_runtest_setup(item):
    if _is_ours(item.path) and item.get_closest_marker("live") and why_not():
        pytest.skip(f"no live kernel: {why_not()}")


def pytest_configure(config):
    config.addinivalue_line("markers", "live: needs this machine's kernel as the peer")
    config.addinivalue_line("markers", "no_kernel: of interop, but needs no kernel as the peer")


def pytest_collection_modifyitems(items):
    for item in items:
        if _is_ours(item.path) and not item.get_closest_marker("no_kernel"):
            item.add_marker(pytest.mark.live)
            item.user_properties.append(("live-kernel", "yes"))  # for scripts/tally


def pytest_terminal_summary(terminalreporter):
    counted = {kind: sum(1 for report in terminalreporter.stats.get(kind, [])
                         if "live" in report.keywords and report.when != "teardown")
               for kind in ("passed", "failed", "error", "skipped")}
    if not any(counted.values()):
        return
    line = f"live-kernel cases: {counted['passed']}"
    bad = ", ".join(f"{counted[kind]} {kind}" for kind in ("failed", "error", "skipped")
                    if counted[kind])
    terminalreporter.write_line(f"{line} ({bad})" if bad else line)
    if counted["skipped"] and why_not():
        terminalreporter.write_line(f"live-kernel cases skipped: {why_not()}")


@pytest.fixture(scope="module")
def lab():
    """The three hosts, nothing joining the gateway's ports yet."""
    if why_not():
        pytest.skip(f"no live kernel: {why_not()}")
    with netlab.Lab(l2=True) as made:
        yield made
