# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion for segsealctl: the program itself knows its commands.
_segsealctl() {
	local current=${COMP_WORDS[COMP_CWORD]} line='' i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-s | --socket | -f | --file)
			if ((i + 1 == COMP_CWORD)); then
				compopt -o default
				return
			fi
			((i++))
			;;
		-*) ;;
		*) line+="${COMP_WORDS[i]} " ;;
		esac
	done
	if [[ $current == -* && -z $line ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--socket --file --stop --echo --help --version' -- "$current")
		return
	fi
	mapfile -t COMPREPLY < <("$1" --complete "$line$current" 2>/dev/null)
	if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == */ ]]; then
		compopt -o nospace
	fi
}
complete -F _segsealctl segsealctl
