# The Debian package, made by cpack, and the program of the tar. cmake/make-packages makes both: `./dev package`.

# The same program, which looks for the libraries of the tar first. DT_RPATH, unlike DT_RUNPATH, is also that of
# what is opened with dlopen().
add_executable(sonde_portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:sonde>)
target_link_libraries(sonde_portable PRIVATE sonde_codegen sonde_runtime)
get_target_property(libraries sonde LINK_LIBRARIES)
target_link_libraries(sonde_portable PRIVATE ${libraries})
target_link_options(sonde_portable PRIVATE -Wl,--strip-debug -Wl,--disable-new-dtags)
set_target_properties(sonde_portable PROPERTIES LINKER_LANGUAGE CXX
	BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/sonde")

file(GLOB pages docs/*.md)
install(FILES README.md SECURITY.md CHANGELOG.md ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/zh docs/pictures docs/internals DESTINATION ${CMAKE_INSTALL_DOCDIR}
	FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES ${CMAKE_BINARY_DIR}/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sonde)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the maintainers of sonde <root@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trace the kernel and programs with short scripts")
set(CPACK_PACKAGE_DESCRIPTION "sonde reads scripts in the bpftrace language, compiles them to BPF programs,
attaches them and prints the results. It comes with more than fifty scripts,
man pages, completion for bash, zsh and fish, and syntax files for editors.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_CROSSCOMPILING)
	set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Opened with dlopen() by scripts that need them: names of source lines, ends of functions, compressed symbols.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdw1, libzydis4.0 | libzydis4.1, liblzma5")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang, vim, bash-completion")
set(CPACK_STRIP_FILES OFF) # symbols stay: stacks of sonde itself have names
include(CPack)
