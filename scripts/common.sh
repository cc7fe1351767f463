# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts beside it: a strict shell, a PATH of the system's own tools (a Python that
# somebody put in front of Debian's has neither scapy nor pytest), and the tree's top as $top.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8
unset PYTHONPATH PYTHONHOME
export PYTHONDONTWRITEBYTECODE=1

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=$(basename "$0")

die() {
	printf '%s: %s\n' "$self" "$*" >&2
	exit 1
}

usage_error() {
	printf '%s: %s (try --help)\n' "$self" "$*" >&2
	exit 2
}

# help TEXT is the comment block at the head of the script that was called.
show_help() {
	sed -n '/^# SPDX/d; /^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"
}

# configure FOLDER [MESON OPTION...]: make a build folder unless it is there, whole, already.
configure() {
	local folder=$1
	shift
	[ -f "$folder/build.ninja" ] || meson setup --wipe "$folder" "$top" "$@" >"$folder.log" 2>&1 ||
		meson setup "$folder" "$top" "$@" >"$folder.log" 2>&1 ||
		{
			tail -n 20 "$folder.log" >&2
			return 1
		}
	rm -f "$folder.log"
}
