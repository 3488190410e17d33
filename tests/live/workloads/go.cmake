# The workload of tests/live/go.test, in <build>/workloads/go: a program of Go, its assembler and, in the
# variant with cgo, C. Nothing is built without the Go compiler, and the cases are skipped.
find_program(SONDE_GO go)
if(NOT SONDE_GO)
	message(STATUS "no Go compiler: live.go.* is skipped")
	return()
endif()
set(go_sources ${CMAKE_CURRENT_LIST_DIR}/go)
file(GLOB go_files CONFIGURE_DEPENDS ${go_sources}/*.go ${go_sources}/*/*.go ${go_sources}/*.s ${go_sources}/*.mod)
set(go_machine "")
if(CMAKE_CROSSCOMPILING)
	set(go_machine GOARCH=arm64 CC=${CMAKE_C_COMPILER} "CGO_CFLAGS=-O2 -g --sysroot=${CMAKE_SYSROOT}"
		CGO_LDFLAGS=--sysroot=${CMAKE_SYSROOT})
endif()
# go_program(NAME PACKAGE ENVIRONMENT OPTION…)
function(go_program name package environment)
	add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/workloads/go/${name}
		COMMAND ${CMAKE_COMMAND} -E env GOCACHE=${CMAKE_SOURCE_DIR}/build/go-cache GOFLAGS=
			GOTOOLCHAIN=local GOPROXY=off ${go_machine} ${environment} ${SONDE_GO} build ${ARGN} -trimpath
			-o ${CMAKE_BINARY_DIR}/workloads/go/${name} ${package}
		WORKING_DIRECTORY ${go_sources} DEPENDS ${go_files} VERBATIM)
	add_custom_target(go_${name} ALL DEPENDS ${CMAKE_BINARY_DIR}/workloads/go/${name})
endfunction()
go_program(calls . CGO_ENABLED=0)
go_program(calls_pie . CGO_ENABLED=0 -buildmode=pie)
go_program(calls_c . CGO_ENABLED=1 -tags=withc)
go_program(switches ./switches CGO_ENABLED=1)
go_program(switches_pie ./switches CGO_ENABLED=1 -buildmode=pie)
go_program(calls_c_pie . CGO_ENABLED=1 -tags=withc -buildmode=pie)
