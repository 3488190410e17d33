# The program of the tar, and the rpm's specification. cmake/make-packages makes the Debian packages (debian/) and the tar:
# `./dev package`.

# The same program, which looks for the libraries of the tar first. DT_RPATH, unlike DT_RUNPATH, is also that of
# what is opened with dlopen().
add_executable(sonde_portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:sonde>)
target_link_libraries(sonde_portable PRIVATE sonde_codegen sonde_runtime)
get_target_property(libraries sonde LINK_LIBRARIES)
target_link_libraries(sonde_portable PRIVATE ${libraries})
sonde_product(sonde_portable)
target_link_options(sonde_portable PRIVATE -Wl,--strip-debug -Wl,--disable-new-dtags)
set_target_properties(sonde_portable PROPERTIES LINKER_LANGUAGE CXX
	BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/sonde")
configure_file(cmake/sonde.spec.in sonde.spec @ONLY)
