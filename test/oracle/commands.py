# SPDX-License-Identifier: BSD-3-Clause
"""A Config as segseal reads it: a file of commands and a key file."""

import string

PRINTABLE = set(string.ascii_letters + string.digits + "-_.:/+ ")


def key_file(config):
    lines = ["# ID ALGORITHM PROFILE SECRET"]
    for key in config.keys:
        text = key.secret.decode("latin-1")
        plain = set(text) <= PRINTABLE and text == text.strip()
        secret = f"text:{text}" if plain else f"hex:{key.secret.hex()}"
        lines.append(f"{key.id} {key.algorithm} {key.profile} {secret}")
    return "\n".join(lines) + "\n"


def config_file(config, port=0, keys="keys"):
    """The commands for frames that come in by port; its peer is the other of 0 and 1."""
    lines = [f"key load {keys}"] if config.keys else []
    lines += [f"sid add {prefix}" for prefix in config.sids]
    lines.append(f"port {port} verify {config.verify}")
    if config.strip:
        lines.append(f"port {port} strip on")
    if config.insert:
        lines.append(f"port {port} insert key {config.insert}")
    if config.mtu:
        lines.append(f"port {1 - port} mtu {config.mtu}")
    return "\n".join(lines) + "\n"
