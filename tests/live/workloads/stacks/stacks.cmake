# Programs that record their own stacks, in <build>/workloads/stacks, built as distributions build: optimized, without
# frame pointers. NAME-VARIANT is the source NAME with the options of VARIANT.
set(stacks_source ${CMAKE_CURRENT_SOURCE_DIR}/live/workloads/stacks)
set(stacks_dir ${CMAKE_BINARY_DIR}/workloads/stacks)

set(stacks_usual -g -fomit-frame-pointer -fPIE -fstack-protector-strong)
set(stacks_O0 -O0)
set(stacks_O2 -O2)
set(stacks_O3 -O3)
set(stacks_Os -Os)
set(stacks_fp -O2 -fno-omit-frame-pointer)
set(stacks_static -O2)
set(stacks_static-pie -O2)
set(stacks_no-pie -O2 -fno-pie)
set(stacks_stripped -O2 -g0)
set(stacks_lazy -O2)
set(stacks_link_static -static)
set(stacks_link_static-pie -static-pie)
set(stacks_link_no-pie -no-pie)
set(stacks_link_stripped -pie -s)
set(stacks_link_lazy -pie -Wl,-z,lazy)
set(stacks_exporting -O2)
set(stacks_link_exporting -pie -rdynamic)

# stacks_program(SOURCE VARIANT…)
function(stacks_program source)
	get_filename_component(stem ${source} NAME_WE)
	foreach(variant IN LISTS ARGN)
		set(name ${stem}-${variant})
		add_executable(stacks_${name} ${stacks_source}/${source})
		target_compile_options(stacks_${name} PRIVATE
			"$<$<COMPILE_LANGUAGE:C>:${SONDE_WARNINGS};-Wno-missing-prototypes;-Wno-vla>"
			${stacks_usual} ${stacks_${variant}})
		set(link ${stacks_link_${variant}})
		if(NOT link)
			set(link -pie)
		endif()
		target_link_options(stacks_${name} PRIVATE ${link})
		target_link_libraries(stacks_${name} PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
		set_target_properties(stacks_${name} PROPERTIES OUTPUT_NAME ${name}
			RUNTIME_OUTPUT_DIRECTORY ${stacks_dir})
	endforeach()
endfunction()

stacks_program(asleep.c O2 static no-pie)
stacks_program(waits.c O0 O2 O3 Os fp static static-pie no-pie stripped)
stacks_program(throws.cpp O0 O2 O3 Os fp static)
stacks_program(load.c O2)
stacks_program(binds.c exporting)
stacks_program(returns.c O2)
stacks_program(processes.c O2 fp)
stacks_program(spin.c O0 O2 lazy static)

foreach(plugin IN ITEMS first second)
	add_library(stacks_${plugin} MODULE ${stacks_source}/plugin.c)
	target_compile_options(stacks_${plugin} PRIVATE -Wno-missing-prototypes ${stacks_usual} -O2 -fPIC)
	set_target_properties(stacks_${plugin} PROPERTIES PREFIX "" OUTPUT_NAME ${plugin}
		LIBRARY_OUTPUT_DIRECTORY ${stacks_dir})
endforeach()
target_compile_definitions(stacks_second PRIVATE SECOND)

add_library(stacks_lazy MODULE ${stacks_source}/lazy.c)
target_compile_options(stacks_lazy PRIVATE ${stacks_usual} -O2 -fPIC -fplt)
target_link_options(stacks_lazy PRIVATE -Wl,-z,lazy)
set_target_properties(stacks_lazy PROPERTIES PREFIX "" OUTPUT_NAME lazy LIBRARY_OUTPUT_DIRECTORY ${stacks_dir})

# Another compiler's tables: the clang that compiles the BPF helpers.
add_custom_command(OUTPUT ${stacks_dir}/waits-clang
	COMMAND ${SONDE_CLANG} ${clang_target} -O2 -g -fomit-frame-pointer -fPIE -pie -pthread -o ${stacks_dir}/waits-clang
		${stacks_source}/waits.c
	DEPENDS ${stacks_source}/waits.c ${stacks_source}/record.h VERBATIM)
add_custom_target(stacks_waits-clang ALL DEPENDS ${stacks_dir}/waits-clang)

# A C library without tables: musl, also linked statically. Headers of the kernel are glibc's.
find_program(SONDE_MUSL_GCC musl-gcc)
set(musl_gcc ${SONDE_MUSL_GCC})
if(CMAKE_CROSSCOMPILING) # musl-dev is in the sysroot
	set(musl_gcc "")
	set(musl_specs ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-musl/musl-gcc.specs)
	if(EXISTS ${musl_specs})
		file(READ ${musl_specs} text)
		string(REGEX REPLACE "( |-L)/usr/" "\\1${CMAKE_SYSROOT}/usr/" text "${text}")
		file(WRITE ${CMAKE_BINARY_DIR}/musl.specs "${text}")
		set(musl_gcc ${CMAKE_C_COMPILER} -mno-outline-atomics -specs=${CMAKE_BINARY_DIR}/musl.specs)
	endif()
endif()
if(musl_gcc)
	file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/workloads/musl)
	foreach(variant IN ITEMS musl musl-static)
		foreach(stem IN ITEMS waits spin)
			set(options -O2)
			if(variant STREQUAL "musl-static")
				set(options -Os -static)
			endif()
			add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/workloads/musl/${stem}-${variant}
				COMMAND ${musl_gcc} ${options} -g -idirafter ${CMAKE_SYSROOT}/usr/include
					-idirafter ${CMAKE_SYSROOT}/usr/include/${CMAKE_C_LIBRARY_ARCHITECTURE}
					-o ${CMAKE_BINARY_DIR}/workloads/musl/${stem}-${variant} ${stacks_source}/${stem}.c
				DEPENDS ${stacks_source}/${stem}.c ${stacks_source}/record.h VERBATIM)
			list(APPEND musl_programs ${CMAKE_BINARY_DIR}/workloads/musl/${stem}-${variant})
		endforeach()
	endforeach()
	add_custom_target(stacks_musl ALL DEPENDS ${musl_programs})
endif()

# 32-bit code, without a C library: gcc needs no other packages for it on x86-64, nor clang for arm.
set(compat ${CMAKE_BINARY_DIR}/workloads/compat)
set(compat_compiler ${CMAKE_C_COMPILER} -m32)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
	set(compat_compiler ${SONDE_CLANG} --target=arm-linux-gnueabi -march=armv7-a -marm -fuse-ld=lld)
endif()
add_custom_command(OUTPUT ${compat}
	COMMAND ${compat_compiler} -O2 -g -fomit-frame-pointer -fno-stack-protector -fno-pic -ffreestanding -nostdlib -static
		-o ${compat} ${stacks_source}/compat.c
	DEPENDS ${stacks_source}/compat.c VERBATIM)
add_custom_target(stacks_compat ALL DEPENDS ${compat})

# Places of waits in 32-bit code (x86): with tables; without; with frame pointers.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
	set(i386_options -fomit-frame-pointer -fasynchronous-unwind-tables)
	set(i386_bare_options -fomit-frame-pointer -fno-asynchronous-unwind-tables)
	set(i386_fp_options -fno-omit-frame-pointer)
	foreach(variant i386 i386_bare i386_fp)
		set(i386_program ${CMAKE_BINARY_DIR}/workloads/${variant})
		add_custom_command(OUTPUT ${i386_program}
			COMMAND ${CMAKE_C_COMPILER} -m32 -O2 -g ${${variant}_options} -fno-stack-protector -fno-pic
				-ffreestanding -nostdlib -static -o ${i386_program} ${stacks_source}/i386.c
			DEPENDS ${stacks_source}/i386.c VERBATIM)
		add_custom_target(stacks_${variant} ALL DEPENDS ${i386_program})
	endforeach()
endif()

# Rust, where there is a compiler (live/rust/rust.cmake says so if there is none).
if(SONDE_RUSTC AND NOT rustc_fails AND NOT CMAKE_CROSSCOMPILING)
	add_custom_command(OUTPUT ${stacks_dir}/waits-rust
		COMMAND ${SONDE_RUSTC} --edition 2021 -C opt-level=2 -C debuginfo=1 -o ${stacks_dir}/waits-rust
			${stacks_source}/waits.rs
		DEPENDS ${stacks_source}/waits.rs VERBATIM)
	add_custom_target(stacks_waits-rust ALL DEPENDS ${stacks_dir}/waits-rust)
	list(APPEND live ${CMAKE_CURRENT_SOURCE_DIR}/live/rust/known-stacks-rust.test)
endif()
