# SPDX-License-Identifier: MIT
#
# What tests spare the engine under gcc's address sanitizer; elsewhere these do nothing.
#
# leave_engine_unwatched(PROGRAM): the program watches our memory and not that which DuckDB and SQLite make for themselves:
# tests/sanitize/engine_memory.c says why.
# keep_to_one_core(PROGRAM): it writes stores as on a machine of one core: tests/sanitize/one_core.c.
if(STINT_LINK AND NOT STINT_FUZZ AND STINT_SANITIZE MATCHES "address")
    # Without the sanitizer itself: they are called by code that does not know of it.
    add_library(engine_memory OBJECT ${PROJECT_SOURCE_DIR}/tests/sanitize/engine_memory.c)
    target_link_libraries(engine_memory PRIVATE PkgConfig::SQLITE)
    add_library(one_core OBJECT ${PROJECT_SOURCE_DIR}/tests/sanitize/one_core.c)
endif()

function(leave_engine_unwatched program)
    if(TARGET engine_memory)
        target_sources(${program} PRIVATE $<TARGET_OBJECTS:engine_memory>)
    endif()
endfunction()

function(keep_to_one_core program)
    if(TARGET one_core)
        target_sources(${program} PRIVATE $<TARGET_OBJECTS:one_core>)
        target_link_options(${program} PRIVATE -Wl,--wrap=sysconf)
    endif()
endfunction()
