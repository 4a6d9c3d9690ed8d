# SPDX-License-Identifier: MIT
#
# add_station(NAME [BELOW STATION...]) makes the library station_<name> of src/NAME/*.c, linked with
# the stations below it. A station without sources (headers only) is an interface.

function(station_target name result)
    string(REPLACE "/" "_" flat ${name})
    set(${result} station_${flat} PARENT_SCOPE)
endfunction()

# The keyword of what all users of a target get: PUBLIC, or INTERFACE where there is nothing to compile.
function(station_visibility target result)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
        set(${result} INTERFACE PARENT_SCOPE)
    else()
        set(${result} PUBLIC PARENT_SCOPE)
    endif()
endfunction()

function(add_station name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "BELOW")
    station_target(${name} target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    if(sources)
        add_library(${target} STATIC ${sources})
        target_link_libraries(${target} PRIVATE project_flags)
    else()
        add_library(${target} INTERFACE)
    endif()
    station_visibility(${target} visibility)
    foreach(below IN LISTS arg_BELOW)
        station_target(${below} below_target)
        target_link_libraries(${target} ${visibility} ${below_target})
    endforeach()
endfunction()

# link_station(NAME LIBRARY...): what the station needs from outside.
function(link_station name)
    station_target(${name} target)
    station_visibility(${target} visibility)
    target_link_libraries(${target} ${visibility} ${ARGN})
endfunction()
