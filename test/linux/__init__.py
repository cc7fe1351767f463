# SPDX-License-Identifier: BSD-3-Clause
"""Against what a live Linux kernel did."""
