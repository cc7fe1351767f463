# SPDX-License-Identifier: BSD-3-Clause
"""Run a piece of this process in another network namespace."""
import contextlib
import ctypes
import os
import socket

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def _setns(fd):
    if _libc.setns(fd, CLONE_NEWNET):
        err = ctypes.get_errno()
        raise OSError(err, f"setns: {os.strerror(err)}")


@contextlib.contextmanager
def entered(name):
    """The calling thread is in namespace `name` inside the block; what it opens stays there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _setns(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


def open_socket(name, *args):
    """A socket of namespace `name`."""
    with entered(name):
        return socket.socket(*args)
