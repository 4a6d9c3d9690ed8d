# SPDX-License-Identifier: MIT
#
# bin/stint, its own copy of DuckDB with its licence in lib/stint, bin/stint-agent, manual pages, shell completion and licences.
install(TARGETS stint stint-agent RUNTIME DESTINATION bin)
install(FILES ${DUCKDB_LIBRARY} DESTINATION lib/stint
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

# The licence of the engine lies beside the library, or above include/ and lib/ of another copy of it.
cmake_path(GET DUCKDB_LIBRARY PARENT_PATH duckdb_folder)
find_file(duckdb_licence LICENSE PATHS ${duckdb_folder} ${duckdb_folder}/.. NO_DEFAULT_PATH NO_CACHE)
if(duckdb_licence)
    install(FILES ${duckdb_licence} DESTINATION lib/stint RENAME LICENSE.duckdb)
else()
    message(WARNING "DuckDB has no file LICENSE beside ${DUCKDB_LIBRARY}; an installation will lack it")
endif()
install(FILES LICENSE THIRD_PARTY.md DESTINATION share/doc/stint)

# The programs print their own manual pages and completion, from the tables they are driven by.
install(CODE "
    function(install_printed_by program file)
        set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\")
        execute_process(COMMAND \"\${program}\" \${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
        message(STATUS \"Installing: \${file}\")
        file(WRITE \"\${file}\" \"\${text}\")
    endfunction()
    function(install_printed file)
        install_printed_by(\"$<TARGET_FILE:stint>\" \"\${file}\" \${ARGN})
    endfunction()

    install_printed(share/bash-completion/completions/stint completion bash)
    install_printed(share/zsh/site-functions/_stint completion zsh)
    install_printed(share/fish/vendor_completions.d/stint.fish completion fish)
    install_printed(share/man/man1/stint.1 help --man)
    install_printed_by(\"$<TARGET_FILE:stint-agent>\" share/man/man1/stint-agent.1 help --man)
    execute_process(COMMAND \"$<TARGET_FILE:stint>\" help --names OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL \"[a-z]+\" names \"\${names}\")
    foreach(name \${names})
        install_printed(share/man/man1/stint-\${name}.1 help --man \${name})
    endforeach()
")
