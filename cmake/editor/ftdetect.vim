autocmd BufRead,BufNewFile *.bt set filetype=sonde
autocmd BufRead,BufNewFile * if getline(1) =~# '^#!.*\<\%(sonde\|bpftrace\)\>' | set filetype=sonde | endif
