# SPDX-License-Identifier: MIT
#
# bin/stint, its own copy of DuckDB in lib/stint, manual pages and shell completion.
install(TARGETS stint RUNTIME DESTINATION bin)
install(FILES ${DUCKDB_LIBRARY} DESTINATION lib/stint
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

foreach(section RANGE 1 8)
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION share/man/man${section})
    endif()
endforeach()

# The program prints its own completion; one that cannot is installed without.
install(CODE "
    foreach(place bash:share/bash-completion/completions/stint
                  zsh:share/zsh/site-functions/_stint
                  fish:share/fish/vendor_completions.d/stint.fish)
        string(REGEX MATCH \"^([a-z]+):(.+)$\" whole \${place})
        set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${CMAKE_MATCH_2}\")
        execute_process(COMMAND \"$<TARGET_FILE:stint>\" completion \${CMAKE_MATCH_1}
            RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_QUIET)
        if(status EQUAL 0 AND text)
            message(STATUS \"Installing: \${file}\")
            file(WRITE \"\${file}\" \"\${text}\")
        endif()
    endforeach()
")
