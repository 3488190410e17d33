# Completion of shells and syntax files of editors, made from the rows of the program's tables.
file(GLOB templates CONFIGURE_DEPENDS cmake/editor/*)
set(folder ${CMAKE_BINARY_DIR}/editor)
add_custom_command(OUTPUT editor/vscode/package.json VERBATIM
	DEPENDS sonde ${templates} cmake/make-editor-files
	COMMAND ${SONDE_PYTHON} cmake/make-editor-files ${SONDE_RUN} ${PROJECT_VERSION} ${folder}
	WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_custom_target(editor_files ${for_all} DEPENDS editor/vscode/package.json)
set(share ${CMAKE_INSTALL_DATADIR})
install(FILES ${folder}/bash/sonde DESTINATION ${share}/bash-completion/completions)
install(FILES ${folder}/zsh/_sonde DESTINATION ${share}/zsh/vendor-completions)
install(FILES ${folder}/fish/sonde.fish DESTINATION ${share}/fish/vendor_completions.d)
install(DIRECTORY ${folder}/vim/ DESTINATION ${share}/vim/vimfiles)
install(DIRECTORY ${folder}/vscode DESTINATION ${share}/sonde)
