# sonde_syscall_table(FILE): writes `{"NAME", NUMBER},` a line, for every SYS_ macro of the target's
# C library. parser/lang/syscalls.c includes it.
function(sonde_syscall_table file)
	file(WRITE ${file}.in.c "#include <sys/syscall.h>\n")
	execute_process(COMMAND ${CMAKE_C_COMPILER} -E -dM ${file}.in.c
		OUTPUT_VARIABLE macros RESULT_VARIABLE status)
	if(status)
		message(FATAL_ERROR "${CMAKE_C_COMPILER} cannot preprocess <sys/syscall.h>")
	endif()
	string(REGEX MATCHALL "#define SYS_[a-z0-9_]+" names "${macros}")
	list(LENGTH names n_names)
	if(n_names LESS 200)
		message(FATAL_ERROR "<sys/syscall.h> defines ${n_names} system calls only")
	endif()
	list(TRANSFORM names REPLACE "#define SYS_(.*)" "\t{\"\\1\", SYS_\\1},")
	list(SORT names)
	string(JOIN "\n" text ${names})
	file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n")
endfunction()
