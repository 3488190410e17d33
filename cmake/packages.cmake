# The programs of packages, and the rpm's specification. cmake/make-packages makes the Debian packages (debian/) and the tar:
# `./dev package`.

# program_of_packages(NAME): the same program, linked as packages have it.
function(program_of_packages name)
	add_executable(${name} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:sonde>)
	target_link_libraries(${name} PRIVATE sonde_codegen sonde_runtime)
	get_target_property(libraries sonde LINK_LIBRARIES)
	target_link_libraries(${name} PRIVATE ${libraries})
	sonde_hardened(${name})
	target_link_options(${name} PRIVATE -Wl,--strip-debug)
	set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
program_of_packages(sonde_packaged)

# That of the tar looks for the libraries of the tar first. DT_RPATH, unlike DT_RUNPATH, is also that of what is opened with
# dlopen().
program_of_packages(sonde_portable)
target_link_options(sonde_portable PRIVATE -Wl,--disable-new-dtags)
set_target_properties(sonde_portable PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/sonde")
configure_file(cmake/sonde.spec.in sonde.spec @ONLY)
