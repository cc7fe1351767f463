# SPDX-License-Identifier: BSD-3-Clause
"""A program at a terminal: type, and wait for what it prints."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SECONDS = 30  # a sanitizer build on a busy machine


class Terminal:
    """Run words in a new session with a terminal of its own."""

    def __init__(self, words, cwd=None, lines=60, columns=120):
        self.text = ""
        self.status = None
        begin, go = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.read(begin, 1)
                if cwd:
                    os.chdir(cwd)
                os.execvpe(words[0], [str(word) for word in words], {**os.environ, "TERM": "vt100"})
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.at_first = self.line_mode()  # before the program had a chance to change it
        os.write(go, b"!")
        os.close(begin)
        os.close(go)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.close(self.fd)

    def type(self, text):
        os.write(self.fd, text if isinstance(text, bytes) else text.encode())

    def read(self, seconds):
        """Take what is there, or comes within so many seconds. False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            octets = os.read(self.fd, 65536)
        except OSError:  # EIO: the other end is closed
            return False
        self.text += octets.decode(errors="replace")
        return bool(octets)

    def until(self, text, seconds=SECONDS):
        """What was printed up to and with this text, which is then forgotten."""
        end = time.monotonic() + seconds
        while text not in self.plain():
            if time.monotonic() > end or not self.read(0.1):
                raise AssertionError(f"never printed {text!r}: {self.plain()!r}")
        plain = self.plain()
        at = plain.index(text) + len(text)
        self.text = plain[at:]
        return plain[:at]

    def drain(self):
        """What a program that has ended had printed last."""
        before = None
        while before != self.text:
            before = self.text
            if not self.read(0):
                return

    def plain(self):
        """Without what moves the cursor."""
        return re.sub(r"\x1b(\[[0-9;]*)?[A-Za-z]", "", self.text).replace("\r", "")

    def echoes(self):
        return bool(termios.tcgetattr(self.fd)[3] & termios.ECHO)

    def line_mode(self):
        """What the terminal does with lines, to compare before and after."""
        return [flag & ~termios.PENDIN for flag in termios.tcgetattr(self.fd)[:4]]

    def wait(self, seconds=SECONDS):
        """Exit status, or minus the signal that ended it."""
        end = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.drain()
            elif time.monotonic() > end:
                raise AssertionError(f"does not end: {self.plain()!r}")
            else:
                self.read(0.05)
        return self.status
