# SPDX-License-Identifier: MIT
#
# DuckDB is loaded at run time (dlopen), so that commands which need no facts start in a millisecond.
# Here only its header and the place of its library are found: in DUCKDB_ROOT if that is given
# (include/ and lib/ in it, or both files flat), else in node_modules.
if(DUCKDB_ROOT)
    set(duckdb_include_hints ${DUCKDB_ROOT}/include ${DUCKDB_ROOT})
    set(duckdb_library_hints ${DUCKDB_ROOT}/lib ${DUCKDB_ROOT})
else()
    set(duckdb_include_hints ${PROJECT_SOURCE_DIR}/node_modules/duckdb/src/duckdb/src/include)
    set(duckdb_library_hints ${PROJECT_SOURCE_DIR}/node_modules/@duckdb/node-bindings-linux-x64)
endif()
# Looked for anew each time: a path remembered from another DUCKDB_ROOT would be wrong in silence.
unset(DUCKDB_INCLUDE_DIR CACHE)
unset(DUCKDB_LIBRARY CACHE)
find_path(DUCKDB_INCLUDE_DIR duckdb.h PATHS ${duckdb_include_hints} NO_DEFAULT_PATH)
find_library(DUCKDB_LIBRARY duckdb PATHS ${duckdb_library_hints} NO_DEFAULT_PATH)
if(NOT DUCKDB_INCLUDE_DIR OR NOT DUCKDB_LIBRARY)
    message(FATAL_ERROR "duckdb.h or libduckdb.so not found: './run build' fetches them, "
        "or name a copy with -DDUCKDB_ROOT=DIR")
endif()

# The program looks in ../lib/stint beside itself, as it is installed: a link there keeps the place where it was built out of
# it. Tests, which lie in other folders, are told the place.
if(NOT STINT_TESTS)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/stint)
    file(CREATE_LINK ${DUCKDB_LIBRARY} ${PROJECT_BINARY_DIR}/lib/stint/libduckdb.so SYMBOLIC)
endif()

# use_duckdb(STATION): the header, and for tests the place of the library.
function(use_duckdb name)
    station_target(${name} target)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
        target_include_directories(${target} SYSTEM PRIVATE ${DUCKDB_INCLUDE_DIR})
        if(STINT_TESTS)
            target_compile_definitions(${target} PRIVATE STINT_DUCKDB_LIBRARY="${DUCKDB_LIBRARY}")
        endif()
    endif()
endfunction()
