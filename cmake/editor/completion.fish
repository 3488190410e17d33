
function __sonde_words
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l skip 0
    for token in $tokens
        if test $skip = 1
            set skip 0
        else if contains -- $token $__sonde_with_value
            set skip 1
        else if not string match -q -- '-*' $token
            echo $token
        end
    end
end
function __sonde_needs_first
    test (count (__sonde_words)) = 0; and not contains -- -e (commandline -opc); and not __sonde_lists
end
function __sonde_word_is
    set -l words (__sonde_words)
    test (count $words) -gt 0; and contains -- $words[1] $argv
end
function __sonde_lists
    set -l tokens (commandline -opc)
    contains -- -l $tokens; or contains -- -lv $tokens; or contains -- --list $tokens
end
function __sonde_scripts
    sonde --scripts 2>/dev/null | string replace -r '^(\S+)\s+(.*)' '$1\t$2'
end
# Options that a script declares, as its help lists them.
function __sonde_script_options
    set -l words (__sonde_words)
    test (count $words) -gt 0; or return
    sonde $words[1] --help 2>/dev/null | sed -n '/^options of the script:/,/^$/{s/=bool / /;s/^  \(--[^ =]*=\{0,1\}\)[^ ]* *\(.*\)/\1\t\2/p;}'
end
function __sonde_probes
    set -l current (commandline -ct)
    switch $current
        case 'uprobe:*' 'uretprobe:*' 'u:*' 'ur:*' 'usdt:*' 'U:*'
            set -l type (string split -m 1 : -- $current)
            for path in (complete -C "__sonde_no_command $type[2]" | string replace -r '\t.*' '')
                echo $type[1]:$path
            end
        case '*:*'
            sonde -l "$current*" 2>/dev/null | head -n 2000
        case '*'
            string join \n -- $__sonde_probe_types
    end
end
complete -c sonde -n __sonde_needs_first -a '(__sonde_scripts)'
complete -c sonde -n "__sonde_word_is $__sonde_script_words" -a '(__sonde_scripts)'
complete -c sonde -n "not __sonde_word_is report stat; and not __sonde_needs_first" -a '(__sonde_script_options)'
complete -c sonde -n "contains -- --help (commandline -opc)" -a "$__sonde_topics"
complete -c sonde -n "__sonde_word_is help" -a "$__sonde_topics (__sonde_scripts)"
complete -c sonde -n "__sonde_word_is learn" -f -a "(sonde learn --list 2>/dev/null | sed -n 's/^ *[0-9]* [ *] \([^ ]*\)  *\(.*\)/\1\t\2/p')"
complete -c sonde -n __sonde_lists -f -a '(__sonde_probes)'
