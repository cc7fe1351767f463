# SPDX-License-Identifier: BSD-3-Clause
import pytest

from live.gateway import Gateway
from oracle import capture, commands
from replay import write_secret


@pytest.fixture
def start(build, tmp_path):
    """start(config, frames, devices, ...): a Gateway whose devices may name in.pcap."""

    def with_config(config, frames, devices, **more):
        capture.write(tmp_path / "in.pcap", frames)
        (tmp_path / "config").write_text(commands.config_file(config))
        write_secret(tmp_path / "keys", commands.key_file(config))
        return Gateway(build / "app", tmp_path, devices, **more)

    return with_config
