# SPDX-License-Identifier: MIT
#
# embed_migrations(STATION DIR ARRAY FOLDER): DIR/NNN-name.sql become the table ARRAY declared in
# FOLDER/ARRAY.h.
function(embed_migrations name dir array folder)
    station_target(${name} target)
    get_target_property(type ${target} TYPE)
    file(GLOB sql CONFIGURE_DEPENDS ${dir}/*.sql)
    if(type STREQUAL "INTERFACE_LIBRARY" OR NOT sql)
        return()
    endif()
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed-migrations.cmake)
    set(generated ${PROJECT_BINARY_DIR}/generated/${array}.c)
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DFOLDER=${folder} -DARRAY=${array} -DOUTPUT=${generated} -P ${script}
        DEPENDS ${sql} ${script}
        COMMENT "Embedding the migrations of ${name}"
        VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    # A migration may be longer than the 4095 characters every C compiler must take; ours take more.
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
