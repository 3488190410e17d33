# What the Rust compiler makes of demo.rs, with both manglings, in <build>/workloads/rust, and the cases
# on it. Where there is no such compiler the cases are not registered: `./dev setup` installs none, and
# names like those of Rust are tested without one too (rust-names in ufunc.test).
find_program(SONDE_RUSTC rustc)
set(rustc_version "")
if(SONDE_RUSTC)
	execute_process(COMMAND ${SONDE_RUSTC} --version OUTPUT_VARIABLE rustc_version ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE rustc_fails)
endif()
if(NOT SONDE_RUSTC OR rustc_fails)
	message(STATUS "no rustc: live.rust.* is left out")
	return()
endif()
message(STATUS "live.rust.* by ${rustc_version}")

set(rust_dir ${CMAKE_BINARY_DIR}/workloads/rust)
file(MAKE_DIRECTORY ${rust_dir})
# rust_program(NAME OPTION…); the compiler's own mangling has no option that all versions take
function(rust_program name)
	add_custom_command(OUTPUT ${rust_dir}/${name}
		COMMAND ${SONDE_RUSTC} --edition 2021 --crate-name demo -C opt-level=2 -C debuginfo=1
			-C force-frame-pointers=yes ${ARGN} -o ${rust_dir}/${name}
			${CMAKE_CURRENT_SOURCE_DIR}/live/rust/demo.rs
		DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/live/rust/demo.rs VERBATIM)
	add_custom_target(rust_${name} ALL DEPENDS ${rust_dir}/${name})
endfunction()
rust_program(own)
rust_program(v0 -C symbol-mangling-version=v0)
list(APPEND live ${CMAKE_CURRENT_SOURCE_DIR}/live/rust/rust.test)
