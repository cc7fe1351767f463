# SPDX-License-Identifier: BSD-3-Clause
"""Real kernels on both sides of segseal, in network namespaces of this machine."""
