# SPDX-License-Identifier: MIT
#
# embed_web(STATION DIR FOLDER): the files below DIR become the table web_files that FOLDER/web_files.h declares.
function(embed_web name dir folder)
    station_target(${name} target)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${dir}/*.html ${dir}/*.css ${dir}/*.svg)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed-web.cmake)
    set(generated ${PROJECT_BINARY_DIR}/generated/${folder}/web_files.c)
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DFOLDER=${folder} -DOUTPUT=${generated} -P ${script}
        DEPENDS ${files} ${script}
        COMMENT "Embedding the pages"
        VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
