
_sonde_script_names() {
	local -a scripts
	scripts=(${(f)"$(${words[1]} --scripts 2>/dev/null | sed 's/:/\\:/g; s/  */:/')"})
	_describe -t scripts 'bundled script' scripts
}

# Options that a script declares, as its help lists them.
_sonde_script_options() {
	local -a options
	options=(${(f)"$(${sonde} "$1" --help 2>/dev/null |
		sed -n '/^options of the script:/,/^$/{s/=bool / /;s/^  \(--[^ =]*=\{0,1\}\) *\(.*\)/\1 \2/p;}' |
		sed 's/:/\\:/g; s/ /:/')"})
	_describe -t options 'option of the script' options
}

_sonde_probes() {
	local -a names
	case $PREFIX in
	uprobe:* | uretprobe:* | u:* | ur:* | usdt:* | U:*)
		[[ ${PREFIX#*:} == *:* ]] || { compset -P '*:'; _files; } ;;
	*:*)
		names=(${(f)"$(${sonde} -l "$PREFIX*" 2>/dev/null | head -n 2000)"})
		compadd -- $names ;;
	*) compadd -S '' -- ${(f)_sonde_probe_types} ;;
	esac
}

_sonde_first() {
	local -a first
	first=(${(s: :)_sonde_first_words})
	compadd -X word -- $first
	_sonde_script_names
	_files
}

# The script or word is line[1].
_sonde_rest() {
	if (( ${words[(I)(-l|-lv|--list)]} )); then _sonde_probes
	elif (( ${words[(I)(-h|--help)]} )); then compadd -- ${(f)_sonde_topics}; _sonde_script_names
	elif [[ ${line[1]} == help ]] && (( CURRENT > 2 )); then compadd -- ${(f)_sonde_topics}; _sonde_script_names
	elif (( CURRENT == 2 )) || [[ -z ${line[1]} || ${line[1]} == ${words[CURRENT]} ]]; then _sonde_first
	elif [[ " $_sonde_script_words " == *" ${line[1]} "* ]]; then _sonde_script_names; _files
	else
		[[ $PREFIX == -* ]] && _sonde_script_options ${line[1]}
		_files
	fi
}

# What follows a word with options of its own.
_sonde_own_rest() {
	[[ $1 == learn ]] && compadd -- $(_sonde_lessons)
	[[ " $_sonde_script_words " == *" $1 "* ]] && { words[1]=$sonde; _sonde_script_names; }
	_files
}

_sonde_lessons() { ${sonde} learn --list 2>/dev/null | sed -n 's/^ *[0-9]* [ *] \([^ ]*\) .*/\1/p'; }

_sonde() {
	local sonde=${words[1]} curcontext=$curcontext state ret=1
	local -a line
	if (( CURRENT > 2 )) && [[ " $_sonde_own_words " == *" ${words[2]} "* ]]; then
		local word=${words[2]}
		local set=_sonde_$word
		shift words
		(( CURRENT-- ))
		_arguments -s -C : ${(P)set} '*:word:->rest' && ret=0
		[[ $state != rest ]] || { _sonde_own_rest $word && ret=0; }
		return ret
	fi
	_arguments -s -C : $_sonde_main '*:word:->rest' && ret=0
	[[ $state != rest ]] || { _sonde_rest && ret=0; }
	return ret
}
if [[ ${funcstack[1]-} == _sonde ]]; then _sonde "$@"; else compdef _sonde sonde; fi
