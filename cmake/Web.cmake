# SPDX-License-Identifier: MIT
#
# embed_web(STATION DIR FOLDER): the files below DIR become the table web_files that FOLDER/web_files.h declares. Scripts are
# bundled before: each DIR/script/*.mjs of `web_bundles`, with what it imports, becomes script/NAME.js.
set(web_bundles stint)
set(esbuild ${PROJECT_SOURCE_DIR}/node_modules/esbuild/bin/esbuild)

function(bundle_scripts dir out_folder out_files)
    find_program(node_program NAMES node nodejs REQUIRED)
    if(NOT EXISTS ${esbuild})
        message(FATAL_ERROR "esbuild is missing: run 'npm ci' first, as ./run does")
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${dir}/script/*.mjs)
    set(files "")
    foreach(name IN LISTS web_bundles)
        add_custom_command(
            OUTPUT ${out_folder}/script/${name}.js
            COMMAND ${node_program} ${esbuild} ${dir}/script/${name}.mjs --bundle --minify --format=esm --log-level=warning
                    --outfile=${out_folder}/script/${name}.js
            DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/package-lock.json
            COMMENT "Bundling script/${name}.js"
            VERBATIM)
        list(APPEND files ${out_folder}/script/${name}.js)
    endforeach()
    set(${out_files} ${files} PARENT_SCOPE)
endfunction()

function(embed_web name dir folder)
    station_target(${name} target)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${dir}/*.html ${dir}/*.css ${dir}/*.svg)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed-web.cmake)
    set(bundled ${PROJECT_BINARY_DIR}/generated/web)
    set(generated ${PROJECT_BINARY_DIR}/generated/${folder}/web_files.c)
    bundle_scripts(${dir} ${bundled} bundles)
    add_custom_command(
        OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DBUNDLED=${bundled} -DFOLDER=${folder} -DOUTPUT=${generated} -P ${script}
        DEPENDS ${files} ${bundles} ${script}
        COMMENT "Embedding the pages"
        VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
