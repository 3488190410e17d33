syn match sondeMap /@\%(\h\w*\)\?/
syn match sondeVariable /\$\%(\h\w*\|\d\+\|#\)/
syn match sondeMember /\%(\.\|->\)\@2<=\h\w*/
syn match sondeNumber /\<\%(0[xX][0-9A-Fa-f_]\+\|\d[0-9_]*\%(\.\d\+\)\?\%([eE]\d\+\)\?\)\%(ns\|us\|ms\|[smhd]\|[uUlL]\+\)\?\>/
syn match sondeEscape contained /\\\%(\o\{1,3}\|x\x\{1,2}\|.\)/
syn match sondeFormat contained /%[-+ 0#]*\d*\%(\.\d\+\)\?\%(hh\|h\|ll\|l\|j\|z\|t\)\?[A-Za-z%]/
syn region sondeString start=/"/ skip=/\\./ end=/"\|$/ contains=sondeEscape,sondeFormat
syn keyword sondeTodo contained TODO FIXME XXX
syn match sondeComment "//.*$" contains=sondeTodo
syn match sondeComment /\%^#!.*/
syn region sondeComment start="/\*" end="\*/" contains=sondeTodo
hi def link sondeProbe Structure
hi def link sondePreProc PreProc
hi def link sondeMap Identifier
hi def link sondeVariable Identifier
hi def link sondeNumber Number
hi def link sondeEscape SpecialChar
hi def link sondeFormat SpecialChar
hi def link sondeString String
hi def link sondeTodo Todo
hi def link sondeComment Comment
