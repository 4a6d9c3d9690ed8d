# SPDX-License-Identifier: MIT
#
# project_flags: how all of our own code is compiled and linked.
add_library(project_flags INTERFACE)
target_compile_definitions(project_flags INTERFACE
    _GNU_SOURCE STINT_VERSION="${PROJECT_VERSION}")
target_include_directories(project_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

set(gcc_only $<C_COMPILER_ID:GNU>)
target_compile_options(project_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings -Wcast-qual
    -Wformat=2 -Wno-format-zero-length -Wswitch-enum -Wnull-dereference -Wundef -Wdouble-promotion
    $<${gcc_only}:-Wduplicated-cond> $<${gcc_only}:-Wlogical-op>
    $<$<BOOL:${STINT_WERROR}>:-Werror>
    -fno-omit-frame-pointer -fno-common)

if(STINT_SANITIZE)
    target_compile_definitions(project_flags INTERFACE STINT_SANITIZED)
    # Reports end the program with a status of their own (see tests/run.sh), so none passes unseen.
    target_compile_options(project_flags INTERFACE
        -fsanitize=${STINT_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(project_flags INTERFACE -fsanitize=${STINT_SANITIZE})
    if(STINT_SANITIZE MATCHES "address" AND NOT STINT_FUZZ)
        # What the sanitizers say of each line are 300,000 pointers in writable data. A program that lies where it was linked for
        # does not have to mend them each time it starts, which was a quarter of that time.
        target_link_libraries(project_flags INTERFACE -no-pie)
    endif()
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    # Paths are those of the tree, so that a program is the same wherever it was built.
    target_compile_options(project_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
        -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
    target_compile_definitions(project_flags INTERFACE _FORTIFY_SOURCE=2)
    target_link_options(project_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,--as-needed)
endif()

# Two hundred test programs are linked: lld does it in half the time, where there is one.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=lld STINT_HAVE_LLD)
    if(STINT_HAVE_LLD)
        target_link_options(project_flags INTERFACE -fuse-ld=lld)
    endif()
endif()

if(STINT_FUZZ)
    target_compile_options(project_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(STINT_COVERAGE)
    target_compile_options(project_flags INTERFACE --coverage)
    target_link_options(project_flags INTERFACE --coverage)
endif()
