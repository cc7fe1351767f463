# SPDX-License-Identifier: BSD-3-Clause
"""All cases, a module for each kind of them; each module has a list CASES."""

from pcap.define import fragment, header, insert, malformed, plain, scope, strip, translate, verify

MODULES = (plain, verify, malformed, header, fragment, scope, insert, strip, translate)
CASES = [case for module in MODULES for case in module.CASES]
