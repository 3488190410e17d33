# Compiler and linker flags of every target, and sonde_library().

include(CheckCSourceCompiles)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
add_compile_definitions($<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE=>) # for every file of C; g++ defines it itself
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
# Asserts check our own invariants and stay in: a wrong result is worse than a stop.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
	set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
	set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Of tests, some of which know addresses. What is installed: sonde_product().
add_compile_options(-fno-pie -ffunction-sections -fdata-sections -fno-omit-frame-pointer)
add_link_options(-no-pie -Wl,--gc-sections -Wl,--as-needed)

if(SONDE_SANITIZE)
	add_compile_options(-fsanitize=${SONDE_SANITIZE} -fno-sanitize-recover=undefined)
	if(SONDE_SANITIZE MATCHES "address")
		add_compile_definitions(SONDE_ASAN) # compilers tell it in different ways
	endif()
	string(REPLACE "fuzzer-no-link," "" sanitize_link "${SONDE_SANITIZE}")
	add_link_options(-fsanitize=${sanitize_link})
endif()
if(SONDE_COVERAGE)
	add_compile_options(--coverage)
	add_link_options(--coverage)
endif()

set(SONDE_WARNINGS -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wmissing-prototypes
	-Wstrict-prototypes -Wno-unused-parameter -Wno-missing-field-initializers)
if(SONDE_WERROR)
	list(APPEND SONDE_WARNINGS -Werror)
endif()

# Relocations in their packed form: glibc reads it since 2.36.
check_c_source_compiles("#include <features.h>\n#if !__GLIBC_PREREQ(2, 36)\n#error old\n#endif\nint main(void) { return 0; }"
	SONDE_PACK_RELOCATIONS)

# sonde_product(TARGET): what is installed can be position independent, and has no paths of the folders in which it was built.
function(sonde_product target)
	file(RELATIVE_PATH from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/.) # ccache may write paths so (base_dir)
	string(REGEX REPLACE "/\\.?$" "" from_build "${from_build}")
	target_compile_options(${target} PRIVATE -fPIE -ffile-prefix-map=${from_build}/=
		-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
		-ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
endfunction()

# sonde_hardened(TARGET): a program of packages, as distributions link theirs, is position independent, and all it needs is bound at the start and then
# read-only. Of LLVM's tables, 150 pages more are written at each start, which takes up to a fifth of it.
function(sonde_hardened target)
	target_link_options(${target} PRIVATE -pie -Wl,-z,relro -Wl,-z,now
		$<$<BOOL:${SONDE_PACK_RELOCATIONS}>:-Wl,-z,pack-relative-relocs>)
endfunction()

# Flags of hand-written C. Quoted includes are written from the root of the tree; the second
# folder is for generated headers.
function(sonde_target_flags target)
	target_compile_options(${target} PRIVATE
		"$<$<COMPILE_LANGUAGE:C>:${SONDE_WARNINGS}>"
		"SHELL:-iquote ${CMAKE_SOURCE_DIR}"
		"SHELL:-iquote ${CMAKE_CURRENT_BINARY_DIR}")
endfunction()

# sonde_library(NAME [FOLDERS FOLDER…] [EXCEPT FOLDER…] [GENERATED FILE…]): the .c files of these folders, or every one
# below this folder except in some, as a static library. Generated code keeps the default warnings only.
function(sonde_library name)
	cmake_parse_arguments(PARSE_ARGV 1 is "" "" "FOLDERS;EXCEPT;GENERATED")
	if(is_FOLDERS)
		list(TRANSFORM is_FOLDERS APPEND /*.c)
		file(GLOB sources CONFIGURE_DEPENDS ${is_FOLDERS})
	else()
		file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.c)
		foreach(folder IN LISTS is_EXCEPT)
			list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
		endforeach()
	endif()
	add_library(${name} STATIC ${sources} ${is_GENERATED})
	sonde_target_flags(${name})
	sonde_product(${name})
	foreach(file IN LISTS is_GENERATED)
		if(file MATCHES "\\.c$")
			set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
				"-Wno-all;-Wno-extra;-Wno-shadow;-Wno-missing-prototypes;-Wno-format-nonliteral")
		endif()
	endforeach()
endfunction()
