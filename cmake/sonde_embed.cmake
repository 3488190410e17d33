# sonde_embed(OUT SYMBOL FILE): writes an assembler file that holds FILE's bytes between the
# symbols SYMBOL and SYMBOL_end, and appends its name to the list OUT.
function(sonde_embed out symbol file)
	set(asm ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S)
	file(CONFIGURE OUTPUT ${asm} @ONLY CONTENT
[[	.section .rodata.@symbol@, "a"
	.balign 16
	.globl @symbol@, @symbol@_end
@symbol@:
	.incbin "@file@"
@symbol@_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
]])
	set_source_files_properties(${asm} PROPERTIES OBJECT_DEPENDS ${file})
	set(${out} ${${out}} ${asm} PARENT_SCOPE)
endfunction()
