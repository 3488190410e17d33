
# The words of the line up to the cursor, whatever COMP_WORDBREAKS is: "--a=b" and "t:a:b" are one word.
_sonde_split() {
	local rest=${COMP_LINE:0:COMP_POINT} word i
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
			rest=${rest#"${rest%%[![:space:]]*}"}
			words+=("")
		fi
		((i < COMP_CWORD)) || word=$rest
		words[-1]+=$word
		rest=${rest#"$word"}
	done
}

# Offer the lines of $1 that begin with $2. bash replaces only what is behind the last break.
_sonde_offer() {
	local cur=$2 prefix="" line
	case $COMP_WORDBREAKS in *:*) prefix=${cur%"${cur##*:}"} ;; esac
	case $COMP_WORDBREAKS in *=*) [[ $cur != *=* ]] || prefix=${cur%"${cur##*[:=]}"} ;; esac
	while IFS= read -r line; do
		[[ -z $line || $line != "$cur"* ]] || COMPREPLY+=("${line#"$prefix"}")
	done <<<"$1"
}

_sonde_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "${2:--f}" -- "$1")
}

_sonde_scripts() { "$sonde" --scripts 2>/dev/null | sed 's/ .*//'; }

# Options that a script declares, as its help lists them.
_sonde_script_options() {
	"$sonde" "$1" --help 2>/dev/null | sed -n '/^options of the script:/,/^$/{s/=bool / /;s/^  \(--[^ =]*=\{0,1\}\).*/\1/p;}'
}

# Probes that begin with $1: types, then names that are cheap to list.
_sonde_probes() {
	local cur=$1
	case $cur in
	uprobe:* | uretprobe:* | u:* | ur:* | usdt:* | U:*)
		[[ ${cur#*:} == *:* ]] || _sonde_offer "$(compgen -f -P "${cur%%:*}:" -- "${cur#*:}")" "$cur"
		compopt -o nospace 2>/dev/null ;;
	*:*) _sonde_offer "$("$sonde" -l "$cur*" 2>/dev/null | head -n 2000)" "$cur" ;;
	*)
		_sonde_offer "$_sonde_probe_types" "$cur"
		[[ ${COMPREPLY[0]-} != *: ]] || compopt -o nospace 2>/dev/null ;;
	esac
}

# The value of the option $2 of $1 (main, report, stat) that begins with $3; $4 is before it in the word.
_sonde_value() {
	local choice=${_sonde_choice["$1 $2"]-} word list="" before=${4-}
	case ${_sonde_kind["$1 $2"]-} in
	words)
		case $3 in *,*) before+=${3%,*}, ;; esac # a list: the last one
		for word in $choice; do list+=$before$word$'\n'; done
		_sonde_offer "$list" "${4-}$3" ;;
	file | dir | command)
		local how=-f
		case ${_sonde_kind["$1 $2"]} in dir) how=-d ;; command) how=-c ;; esac
		if [ -z "$before" ]; then _sonde_files "$3" $how
		else _sonde_offer "$(compgen $how -P "$before" -- "$3")" "$before$3"; fi ;;
	pid)
		for word in /proc/[0-9]*; do list+=$before${word#/proc/}$'\n'; done
		_sonde_offer "$list" "$before$3" ;;
	cgroup) _sonde_offer "$(compgen -d -P "$before" -- "${3:-/sys/fs/cgroup/}")" "$before${3:-/sys/fs/cgroup/}"
		compopt -o nospace 2>/dev/null ;;
	esac
}

_sonde() {
	local words=() i word cur prev="" sonde set=main script="" list=no help=no behind=no
	COMPREPLY=()
	_sonde_split
	sonde=${words[0]}
	cur=${words[-1]}
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		word=${words[i]} prev=""
		case $word in
		--) behind=yes; break ;;
		-l | --list | -lv) list=yes ;;
		--help | -h) help=yes ;;
		-e*) script=-e ;;&
		-?*)
			[ -n "${_sonde_kind["$set $word"]-}" ] || continue
			((i < ${#words[@]} - 2)) || prev=$word
			((i++)) ;;
		*)
			if [ -z "$script" ]; then
				script=$word
				case " $_sonde_own_words " in *" $word "*) set=$word ;; esac
			elif [[ " $_sonde_first_words " == *" $script "* ]]; then script=$word
			fi ;;
		esac
	done
	if [ $behind = yes ]; then
		_sonde_files "$cur" -c
	elif [ -n "$prev" ]; then
		_sonde_value $set "$prev" "$cur"
	elif [[ $cur == --*=* ]]; then
		_sonde_value $set "${cur%%=*}" "${cur#*=}" "${cur%%=*}="
	elif [ $list = yes ] && [[ $cur != -* ]]; then
		_sonde_probes "$cur"
	elif [[ $cur == -* ]]; then
		_sonde_offer "${_sonde_names[$set]}" "$cur"
		[[ -z $script || $script == -e || $set != main ]] || _sonde_offer "$(_sonde_script_options "$script")" "$cur"
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
	elif [ $help = yes ]; then
		_sonde_offer "$_sonde_topics"$'\n'"$(_sonde_scripts)" "$cur"
	elif [ -z "$script" ]; then
		_sonde_offer "${_sonde_first_words// /$'\n'}"$'\n'"$(_sonde_scripts)" "$cur"
		_sonde_files "$cur"
	else
		case $script in
		learn) _sonde_offer "$("$sonde" learn --list 2>/dev/null | sed -n 's/^ *[0-9]* [ *] \([^ ]*\) .*/\1/p')" "$cur" ;;
		help) _sonde_offer "$_sonde_topics"$'\n'"$(_sonde_scripts)" "$cur" ;;
		esac
		case " $_sonde_script_words " in *" $script "*) _sonde_offer "$(_sonde_scripts)" "$cur" ;; esac
		_sonde_files "$cur"
	fi
}
complete -F _sonde sonde
