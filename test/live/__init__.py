# SPDX-License-Identifier: BSD-3-Clause
"""A running gateway on virtual devices."""
