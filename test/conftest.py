# SPDX-License-Identifier: BSD-3-Clause
"""What the suites share: where the programs are, and what may lie beside the checkout."""

import os
from pathlib import Path

import pytest

from oracle import gateway
from replay import replay

TOP = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def build():
    """The build folder whose programs are tested: $SEGSEAL_BUILD, or build/."""
    return Path(os.environ.get("SEGSEAL_BUILD", TOP / "build"))


@pytest.fixture(scope="session")
def shared():
    """../shared: read only, made for the project, not part of it."""
    folder = TOP.parent / "shared"
    if not folder.is_dir():
        pytest.skip("../shared is not beside the checkout")
    return folder


@pytest.fixture(params=["oracle", "segseal"])
def judge(request, build):
    """judge(config, frames) -> (frames out, counters), once of the model, once of the program."""

    def oracle(config, frames):
        out, counters = gateway.gateway(config, frames)
        return out, counters.json()

    def segseal(config, frames):
        done = replay(build, config, frames)
        assert done.status == 0, done.errors
        return done.frames, done.counters

    return oracle if request.param == "oracle" else segseal
