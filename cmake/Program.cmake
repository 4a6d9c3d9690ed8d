# SPDX-License-Identifier: MIT
#
# add_program(NAME SOURCE...): an executable, or, where nothing is linked (STINT_LINK), its objects alone.
function(add_program name)
    if(STINT_LINK)
        add_executable(${name} ${ARGN})
    else()
        add_library(${name} OBJECT ${ARGN})
    endif()
endfunction()
