# Finds LLVM (19 preferred, later ones accepted) and the clang of the same major.
#
# out: target sonde_llvm (headers, libraries), SONDE_LLVM_MAJOR_FOUND, SONDE_CLANG
# llvm-config is asked rather than LLVMConfig.cmake: the latter wants an exact minor version and
# names a component (`bpf`) for which there is no library file.

set(SONDE_LLVM_MAJOR "" CACHE STRING "LLVM's major version; empty: 19, 20, 21, the first found")
set(majors ${SONDE_LLVM_MAJOR})
if(NOT majors)
	set(majors 19 20 21)
endif()
set(LLVM_CONFIG "")
foreach(major IN LISTS majors)
	find_program(llvm_config_${major} NAMES llvm-config-${major}
		HINTS /usr/lib/llvm-${major}/bin /usr/lib/llvm${major}/bin)
	if(llvm_config_${major}) # the program alone does not do: the headers are in llvm-N-dev
		execute_process(COMMAND ${llvm_config_${major}} --includedir OUTPUT_VARIABLE headers
			OUTPUT_STRIP_TRAILING_WHITESPACE)
		if(NOT EXISTS ${headers}/llvm-c/Core.h)
			continue()
		endif()
		set(LLVM_CONFIG ${llvm_config_${major}})
		break()
	endif()
endforeach()
if(NOT LLVM_CONFIG)
	find_program(llvm_config_any NAMES llvm-config)
	if(llvm_config_any)
		set(LLVM_CONFIG ${llvm_config_any})
	endif()
endif()
if(NOT LLVM_CONFIG)
	message(FATAL_ERROR "no llvm-config of LLVM 19 or later: ./dev setup installs it")
endif()

function(llvm_config out)
	execute_process(COMMAND ${LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
		OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
	if(status)
		string(JOIN " " words ${ARGN})
		message(FATAL_ERROR "${LLVM_CONFIG} ${words}: failed")
	endif()
	set(${out} "${text}" PARENT_SCOPE)
endfunction()

llvm_config(llvm_version --version)
string(REGEX MATCH "^[0-9]+" SONDE_LLVM_MAJOR_FOUND "${llvm_version}")
if(SONDE_LLVM_MAJOR_FOUND LESS 19)
	message(FATAL_ERROR "LLVM ${llvm_version} is too old: 19 or later is needed")
endif()
llvm_config(llvm_include --includedir)
llvm_config(llvm_libdir --libdir)
llvm_config(llvm_bindir --bindir)
# This machine's llvm-config is asked in a cross build too; the target's files are in the sysroot.
string(PREPEND llvm_include "${CMAKE_SYSROOT}")
string(PREPEND llvm_libdir "${CMAKE_SYSROOT}")

add_library(sonde_llvm INTERFACE)
target_include_directories(sonde_llvm SYSTEM INTERFACE ${llvm_include})
if(SONDE_LLVM_SHARED)
	llvm_config(llvm_libs --link-shared --libs)
	separate_arguments(llvm_libs UNIX_COMMAND "${llvm_libs}")
	target_link_libraries(sonde_llvm INTERFACE -L${llvm_libdir} ${llvm_libs})
else()
	# `bpf` is code generator, assembler parser (for inline assembly) and disassembler
	# (for --emit asm); `passes` is LLVMRunPasses.
	llvm_config(llvm_libs --link-static --libs bpf passes linker bitreader irreader core target)
	llvm_config(llvm_system --link-static --system-libs)
	separate_arguments(llvm_libs UNIX_COMMAND "${llvm_libs}")
	separate_arguments(llvm_system UNIX_COMMAND "${llvm_system}")
	list(REMOVE_DUPLICATES llvm_libs)
	# A shared library that only unused parts of LLVM want costs start-up time, and z3, xml2
	# are wanted by none of the parts used here.
	list(FILTER llvm_system EXCLUDE REGEX "z3|xml2")
	# zstd's archive, where there is one: one shared library less to load (0.4 ms of 6.5).
	find_library(ZSTD_ARCHIVE libzstd.a)
	if(ZSTD_ARCHIVE)
		list(TRANSFORM llvm_system REPLACE "^-lzstd$" "${ZSTD_ARCHIVE}")
	endif()
	target_link_libraries(sonde_llvm INTERFACE -L${llvm_libdir} ${llvm_libs} ${llvm_system})
	target_link_options(sonde_llvm INTERFACE -static-libgcc -static-libstdc++)
	# LLVM's linker takes a fourth of the time of GNU ld for these archives. What it links starts 2 ms later, so the
	# programs that are installed are linked by GNU ld.
	if(NOT SONDE_SANITIZE AND EXISTS ${llvm_bindir}/ld.lld)
		set(installed sonde_packaged$<SEMICOLON>sonde_portable)
		if(NOT CMAKE_CROSSCOMPILING) # what is measured is this machine's
			string(APPEND installed "$<SEMICOLON>sonde")
		endif()
		set(installed $<AND:$<CONFIG:Release>,$<IN_LIST:$<TARGET_PROPERTY:NAME>,${installed}>>)
		set(sections -Wl$<COMMA>-T$<COMMA>${CMAKE_SOURCE_DIR}/cmake/startup.ld)
		target_link_options(sonde_llvm INTERFACE $<IF:${installed},${sections},-fuse-ld=lld> -B${llvm_bindir})
	endif()
endif()
# With sanitizers, it is all programs that it links faster: GNU ld takes a second for a unit test.
if(SONDE_SANITIZE AND EXISTS ${llvm_bindir}/ld.lld)
	add_link_options(-fuse-ld=lld -B${llvm_bindir})
endif()

find_program(SONDE_CLANG NAMES clang-${SONDE_LLVM_MAJOR_FOUND} clang HINTS ${llvm_bindir})
if(NOT SONDE_CLANG)
	message(FATAL_ERROR "no clang-${SONDE_LLVM_MAJOR_FOUND}: bpf_helpers needs the clang of LLVM's major")
endif()
execute_process(COMMAND ${SONDE_CLANG} -dumpversion OUTPUT_VARIABLE clang_version
	OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT clang_version MATCHES "^${SONDE_LLVM_MAJOR_FOUND}\\.")
	message(FATAL_ERROR "${SONDE_CLANG} is ${clang_version}, LLVM is ${llvm_version}: bpf_helpers \
needs the clang of LLVM's major")
endif()
message(STATUS "LLVM ${llvm_version} (${LLVM_CONFIG}), clang ${clang_version} (${SONDE_CLANG})")
