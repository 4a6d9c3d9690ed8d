# SPDX-License-Identifier: MIT
#
# leave_engine_unwatched(PROGRAM): under gcc's address sanitizer the program watches our memory and not that which DuckDB
# makes for itself: tests/sanitize/engine_memory.c says why. Elsewhere nothing.
function(leave_engine_unwatched program)
    if(STINT_LINK AND NOT STINT_FUZZ AND STINT_SANITIZE MATCHES "address")
        if(NOT TARGET engine_memory)
            # Without the sanitizer itself: it is called by code that does not know of it.
            add_library(engine_memory OBJECT ${PROJECT_SOURCE_DIR}/tests/sanitize/engine_memory.c)
        endif()
        target_sources(${program} PRIVATE $<TARGET_OBJECTS:engine_memory>)
    endif()
endfunction()
