# SPDX-License-Identifier: BSD-3-Clause
"""Regression cases: frames in, frames and counters out. See README.md here."""
