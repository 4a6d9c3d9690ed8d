# SPDX-License-Identifier: MIT
#
# cmake -DDIR=sql/facts/schema -DFOLDER=facts/duckdb -DARRAY=migrations -DOUTPUT=migrations.c -P embed-migrations.cmake
#
# Writes the array ARRAY, and ARRAY_count, in order of number. Numbers count 1, 2, 3 without gap, so that a
# migration forgotten in a merge stops the build and not a site.
file(GLOB files RELATIVE ${DIR} ${DIR}/*.sql)
list(SORT files)

set(rows "")
set(expected 0)
foreach(file IN LISTS files)
    math(EXPR expected "${expected} + 1")
    if(NOT file MATCHES "^([0-9][0-9][0-9])-([a-z0-9-]+)\\.sql$")
        message(FATAL_ERROR "${DIR}/${file}: the name of a migration is NNN-name.sql")
    endif()
    set(name ${CMAKE_MATCH_2})
    string(REGEX REPLACE "^0+" "" number ${CMAKE_MATCH_1})
    if(NOT number EQUAL expected)
        message(FATAL_ERROR "${DIR}/${file}: expected migration ${expected} here")
    endif()
    file(READ ${DIR}/${file} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "??" "?\\?" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND rows "    {${number}, \"${name}\",\n     \"${text}\"},\n")
endforeach()

file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: MIT */
/* Made from the .sql files by cmake/embed-migrations.cmake. */
#include \"${FOLDER}/${ARRAY}.h\"

const struct migration ${ARRAY}[] = {
${rows}};

const size_t ${ARRAY}_count = sizeof ${ARRAY} / sizeof ${ARRAY}[0];
")
