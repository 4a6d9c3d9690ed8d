# SPDX-License-Identifier: MIT
#
# bin/stint, its own copy of DuckDB in lib/stint, bin/stint-agent, manual pages and shell completion.
install(TARGETS stint stint-agent RUNTIME DESTINATION bin)
install(FILES ${DUCKDB_LIBRARY} DESTINATION lib/stint
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

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
