# SPDX-License-Identifier: MIT
#
# add_station(NAME [FOLDERS FOLDER...] [BELOW STATION...]) makes the library station_<name> of src/NAME/*.c and of the
# folders in it that are no stations of their own (*: of all), linked with the stations below it. A station without sources (headers
# only) is an interface.

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
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;BELOW")
    station_target(${name} target)
    set(patterns ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    foreach(folder IN LISTS arg_FOLDERS)
        list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${name}/${folder}/*.c)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
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

# station_folders(NAME RESULT [EXCEPT FOLDER...]): the folders of src/NAME, as names of stations.
function(station_folders name result)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "EXCEPT")
    file(GLOB found CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/src/${name}/*)
    set(stations "")
    foreach(path IN LISTS found)
        cmake_path(GET path FILENAME folder)
        if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${path} AND NOT folder IN_LIST arg_EXCEPT)
            list(APPEND stations ${path})
        endif()
    endforeach()
    set(${result} ${stations} PARENT_SCOPE)
endfunction()
