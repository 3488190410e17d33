# Workloads of the cases that users have no use for, in <build>/workloads; the others are in examples/. They are built for
# arm64, too, where they run in guests. They are never sanitized, so a build with sanitizers takes those of the release
# build (target `workloads` there).
if(SONDE_IS_SANITIZED)
	foreach(folder IN ITEMS workloads examples)
		set(link ${CMAKE_BINARY_DIR}/${folder})
		if(EXISTS ${link} AND NOT IS_SYMLINK ${link})
			file(REMOVE_RECURSE ${link})
		endif()
		file(CREATE_LINK ${CMAKE_SOURCE_DIR}/build/${folder} ${link} SYMBOLIC)
	endforeach()
	return()
endif()
get_property(others DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)

file(GLOB workloads CONFIGURE_DEPENDS live/workloads/*.c live/workloads/*.cpp)
foreach(source IN LISTS workloads)
	get_filename_component(name ${source} NAME_WE)
	add_executable(workload_${name} ${source})
	target_compile_options(workload_${name} PRIVATE "SHELL:-iquote ${CMAKE_SOURCE_DIR}"
		"$<$<COMPILE_LANGUAGE:C>:${SONDE_WARNINGS}>" -O1 -g -fPIE
		-fno-omit-frame-pointer -fno-optimize-sibling-calls)
	target_link_options(workload_${name} PRIVATE -pie)
	target_link_libraries(workload_${name} PRIVATE Threads::Threads)
	set_target_properties(workload_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
endforeach()
# As distributions build: the stacks that the tests of time off the CPU compare.
target_compile_options(workload_nap PRIVATE -O2 -fomit-frame-pointer -foptimize-sibling-calls)
set(clang_target "")
if(CMAKE_CROSSCOMPILING)
	set(clang_target --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
endif()
include(${CMAKE_CURRENT_SOURCE_DIR}/live/workloads/ufunc.cmake)
include(${CMAKE_CURRENT_SOURCE_DIR}/live/workloads/go.cmake)
# Tail calls; also in code that marks the targets of indirect jumps, and with jump tables of addresses.
set(tails_plain -fcf-protection=none)
set(tails_marked -fcf-protection=full)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
	set(tails_plain -mbranch-protection=none)
	set(tails_marked -mbranch-protection=standard)
endif()
target_compile_options(workload_tails PRIVATE -O2 -fomit-frame-pointer -foptimize-sibling-calls ${tails_plain})
foreach(variant IN ITEMS cet fixed)
	add_executable(workload_tails_${variant} live/workloads/tails.cpp)
	target_compile_options(workload_tails_${variant} PRIVATE -O2 -g -fomit-frame-pointer)
	set_target_properties(workload_tails_${variant} PROPERTIES OUTPUT_NAME tails_${variant}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
endforeach()
target_compile_options(workload_tails_cet PRIVATE -fPIE ${tails_marked})
target_link_options(workload_tails_cet PRIVATE -pie)
target_compile_options(workload_tails_fixed PRIVATE -fno-pie ${tails_plain})
target_link_options(workload_tails_fixed PRIVATE -no-pie)
# Watched by address; and the same program, loaded elsewhere each time.
add_executable(workload_touch_pie live/workloads/touch.c)
target_compile_options(workload_touch_pie PRIVATE -O1 -g "SHELL: -fPIE")
target_link_options(workload_touch_pie PRIVATE "SHELL: -pie")
target_link_libraries(workload_touch_pie PRIVATE Threads::Threads)
set_target_properties(workload_touch_pie PROPERTIES OUTPUT_NAME touch-pie
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
target_compile_options(workload_touch PRIVATE "SHELL: -fno-pie")
target_link_options(workload_touch PRIVATE "SHELL: -no-pie")

# In an archive.
add_library(workload_archived_library MODULE live/workloads/archived.c)
target_compile_definitions(workload_archived_library PRIVATE LIBRARY)
target_compile_options(workload_archived_library PRIVATE -O1 -g -fno-sanitize=all)
target_link_options(workload_archived_library PRIVATE -fno-sanitize=all)
set_target_properties(workload_archived_library PROPERTIES OUTPUT_NAME archived-library PREFIX ""
	LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)

# One of 10,000 functions, which a script writes.
set(generator ${CMAKE_CURRENT_SOURCE_DIR}/live/workloads/generate-many)
add_custom_command(OUTPUT many.c DEPENDS ${generator} VERBATIM
	COMMAND ${SONDE_PYTHON} ${generator} ${CMAKE_CURRENT_BINARY_DIR}/many.c)
add_executable(workload_many ${CMAKE_CURRENT_BINARY_DIR}/many.c)
target_compile_options(workload_many PRIVATE -O0 -fPIE -fno-omit-frame-pointer -fcf-protection=none)
target_link_options(workload_many PRIVATE -pie)
set_target_properties(workload_many PROPERTIES OUTPUT_NAME many
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)

add_library(refuse_programs SHARED live/refuse_programs.c) # for LD_PRELOAD
target_compile_options(refuse_programs PRIVATE -fPIC)
set_target_properties(refuse_programs PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)

if(NOT CMAKE_CROSSCOMPILING)
	include(${CMAKE_CURRENT_SOURCE_DIR}/live/rust/rust.cmake)
endif()
include(${CMAKE_CURRENT_SOURCE_DIR}/live/workloads/stacks/stacks.cmake)

get_property(workloads DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(REMOVE_ITEM workloads ${others})
add_custom_target(workloads DEPENDS ${workloads} examples)
