# SPDX-License-Identifier: MIT
#
# embed_statements(STATION DIR ARRAY FOLDER): the named statements of DIR/*.sql become constants that
# FOLDER/statements.h declares, and the table ARRAY.
function(embed_statements name dir array folder)
    station_target(${name} target)
    file(GLOB sql CONFIGURE_DEPENDS ${dir}/*.sql)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed-statements.cmake)
    set(include ${PROJECT_BINARY_DIR}/generated)
    set(generated ${include}/${folder}/statements)
    add_custom_command(
        OUTPUT ${generated}.h ${generated}.c
        COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DFOLDER=${folder} -DARRAY=${array} -DOUTPUT=${generated} -P ${script}
        DEPENDS ${sql} ${script}
        COMMENT "Embedding the statements of ${name}"
        VERBATIM)
    target_sources(${target} PRIVATE ${generated}.c ${generated}.h)
    target_include_directories(${target} PUBLIC ${include})
    set_source_files_properties(${generated}.c PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
