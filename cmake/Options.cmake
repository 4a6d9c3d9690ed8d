# SPDX-License-Identifier: MIT
#
# What a preset may set; see CMakePresets.json.
option(STINT_WERROR "warnings are errors" OFF)
option(STINT_TESTS "build the tests (needs cmocka)" OFF)
option(STINT_FUZZ "build tests/fuzz as libFuzzer targets (needs clang)" OFF)
option(STINT_COVERAGE "count executed lines for gcov" OFF)
option(STINT_LINK "link programs; off, everything is compiled, and little of it linked" ON)
set(STINT_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them")
set(DUCKDB_ROOT "" CACHE PATH "a DuckDB other than the one in node_modules")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Assertions stay on: they guard numbers people are billed by, and cost nothing that was measured.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
if(STINT_SANITIZE)
    set(CMAKE_C_FLAGS_DEBUG "-O1 -g1") # lines for the reports, and a build that is a fifth shorter
elseif(NOT STINT_LINK)
    set(CMAKE_C_FLAGS_DEBUG "-O0") # hardly anybody runs it
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
