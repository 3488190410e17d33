# Workloads of tests/live/ufunc.test: one source built in several ways, in <build>/workloads/ufunc.
set(ufunc_sources ${CMAKE_CURRENT_LIST_DIR}/ufunc)
set(ufunc_dir ${CMAKE_BINARY_DIR}/workloads/ufunc)

# ufunc_program(NAME SOURCE OPTION…): compiled and linked with the options
function(ufunc_program name source)
	add_executable(ufunc_${name} ${ufunc_sources}/${source})
	target_compile_options(ufunc_${name} PRIVATE -O2 -g ${ARGN})
	target_link_options(ufunc_${name} PRIVATE ${ARGN})
	set_target_properties(ufunc_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${ufunc_dir})
endfunction()
# ufunc_copy(NAME OF COMMAND…): what the command makes of a program; COMMAND gets both paths
function(ufunc_copy name of)
	add_custom_command(OUTPUT ${ufunc_dir}/${name}
		COMMAND ${ARGN} $<TARGET_FILE:ufunc_${of}> ${ufunc_dir}/${name}
		DEPENDS ufunc_${of} VERBATIM)
	add_custom_target(ufunc_${name} ALL DEPENDS ${ufunc_dir}/${name})
endfunction()

# Frame pointers and PIE are the tree's options; these come last and win.
ufunc_program(names names.cc -fPIE -pie)
ufunc_program(operators operators.cc -fPIE -pie)
ufunc_program(names_nopie names.cc -fno-pie -no-pie)
ufunc_program(names_static names.cc -static -fno-pie)
ufunc_program(leaves leaves.c -fPIE -pie)
ufunc_program(results results.c -fPIE -pie)
ufunc_program(values values.c -fPIE -pie)
ufunc_program(values_slow values.c -fPIE -pie -O0)
ufunc_program(calls_c calls.c -fPIE -pie)
ufunc_program(calls_cpp calls.cc -fPIE -pie)
ufunc_program(locals locals.c -fPIE -pie)
ufunc_program(locals_slow locals.c -fPIE -pie -O0)
ufunc_program(results_bare results.c -fPIE -pie -g0)
ufunc_program(results_lines results.c -fPIE -pie -g1)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
	ufunc_program(entries entries.c -fPIE -pie -fcf-protection=none)
	ufunc_program(entries_cet entries.c -fPIE -pie -fcf-protection=full -fomit-frame-pointer)
	# a nop of 5 bytes behind endbr64
	ufunc_program(entries_mcount entries.c -fno-pie -no-pie -fcf-protection=full)
	target_compile_options(ufunc_entries_mcount PRIVATE -pg -mfentry -mnop-mcount)
	# what the Go compiler leaves in a file is all that is looked for
	ufunc_copy(entries_go entries ${CMAKE_OBJCOPY}
		--add-section .go.buildinfo=${ufunc_sources}/library.c)
endif()
ufunc_program(parts parts.c -fPIE -pie -g0 -fomit-frame-pointer -rdynamic -s)
ufunc_program(misread misread.c -fPIE -pie -fcf-protection=none)
ufunc_copy(names_bare names ${CMAKE_OBJCOPY} --strip-all)
find_program(SONDE_XZ xz)
if(SONDE_XZ)
	add_custom_command(OUTPUT ${ufunc_dir}/names_mini
		COMMAND ${CMAKE_OBJCOPY} --strip-debug $<TARGET_FILE:ufunc_names> ${ufunc_dir}/mini
		COMMAND ${SONDE_XZ} -kf ${ufunc_dir}/mini
		COMMAND ${CMAKE_OBJCOPY} --strip-all --add-section .gnu_debugdata=${ufunc_dir}/mini.xz
			$<TARGET_FILE:ufunc_names> ${ufunc_dir}/names_mini
		DEPENDS ufunc_names VERBATIM)
	add_custom_target(ufunc_names_mini ALL DEPENDS ${ufunc_dir}/names_mini)
endif()
add_library(ufunc_library SHARED ${ufunc_sources}/library.c)
target_compile_options(ufunc_library PRIVATE -O2 -g -fPIC)
set_target_properties(ufunc_library PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ufunc_dir}/lib)
ufunc_program(loads loads.c -fPIE -pie)
target_link_libraries(ufunc_loads PRIVATE ufunc_library)
set_target_properties(ufunc_loads PROPERTIES BUILD_WITH_INSTALL_RPATH ON
	INSTALL_RPATH "$ORIGIN/lib")
# Arguments from debug information: optimised or not, another compiler, another format.
ufunc_program(args args.c -fPIE -pie)
ufunc_program(args_slow args.c -O0 -fPIE -pie)
ufunc_program(args_dwarf4 args.c -gdwarf-4 -gz -fPIE -pie)
ufunc_program(classes classes.cc -O1 -fPIE -pie)
ufunc_program(classes_slow classes.cc -O0 -fPIE -pie)
ufunc_program(holders holders.cc -O1 -std=c++17 -fPIE -pie)
ufunc_program(by_value by_value.cc -O0 -std=c++17 -fPIE -pie)
ufunc_program(members members.c -O1 -fPIE -pie)
ufunc_program(grids grids.c -O1 -fPIE -pie)
# Types in units of their own: in .debug_types, and in .debug_info.
ufunc_program(grids_types4 grids.c -O1 -gdwarf-4 -fdebug-types-section -fPIE -pie)
ufunc_program(grids_types5 grids.c -O1 -gdwarf-5 -fdebug-types-section -fPIE -pie)
find_program(SONDE_CLANG clang)
if(SONDE_CLANG)
	foreach(level 0 2)
		add_custom_command(OUTPUT ${ufunc_dir}/args_clang${level}
			COMMAND ${SONDE_CLANG} ${clang_target} -O${level} -g -o ${ufunc_dir}/args_clang${level}
				${ufunc_sources}/args.c
			DEPENDS ${ufunc_sources}/args.c VERBATIM)
		add_custom_target(ufunc_args_clang${level} ALL DEPENDS ${ufunc_dir}/args_clang${level})
	endforeach()
endif()
find_program(SONDE_RUSTC rustc)
# rust_program(NAME CRATE OPTION…)
function(rust_program name crate)
	if(NOT SONDE_RUSTC OR CMAKE_CROSSCOMPILING)
		return()
	endif()
	add_custom_command(OUTPUT ${ufunc_dir}/${name}
		COMMAND ${SONDE_RUSTC} -g ${ARGN} --crate-name ${crate}_of_rust -o ${ufunc_dir}/${name}
			${ufunc_sources}/${crate}.rs
		DEPENDS ${ufunc_sources}/${crate}.rs VERBATIM)
	add_custom_target(ufunc_${name} ALL DEPENDS ${ufunc_dir}/${name})
endfunction()
rust_program(crate crate)
rust_program(holders_rust holders)
rust_program(returns_rust returns)
rust_program(returns_rust_fast returns -O)
# Without debug information, or with it in a file of its own.
ufunc_copy(args_bare args ${CMAKE_OBJCOPY} --strip-debug)
add_custom_command(OUTPUT ${ufunc_dir}/args_apart
	COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:ufunc_args> ${ufunc_dir}/args.debug
	COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=${ufunc_dir}/args.debug
		$<TARGET_FILE:ufunc_args> ${ufunc_dir}/args_apart
	DEPENDS ufunc_args VERBATIM)
add_custom_target(ufunc_args_apart ALL DEPENDS ${ufunc_dir}/args_apart)
