# SPDX-License-Identifier: MIT
#
# cmake -DDIR=sql/report -DFOLDER=report/sql -DARRAY=report_statements -DOUTPUT=generated/report/sql/statements
#       -P embed-statements.cmake
#
# Every statement of DIR/*.sql stands below a line "-- name: journal_put_file" and becomes SQL_JOURNAL_PUT_FILE in
# OUTPUT.h and OUTPUT.c, and a row of ARRAY. Other lines that begin with -- are left out. A name that comes twice, text
# without a name and a name without text stop the build.
file(GLOB files RELATIVE ${DIR} ${DIR}/*.sql)
list(SORT files)

set(declarations "")
set(definitions "")
set(rows "")
set(names " ")
foreach(file IN LISTS files)
    file(READ ${DIR}/${file} text)
    string(REPLACE "-- name: " "== name: " text "${text}")
    string(REGEX REPLACE "(^|\n)--[^\n]*" "" text "${text}")
    string(FIND "${text}" "== name: " at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(STRIP "${before}" before)
    if(at LESS 0 OR NOT before STREQUAL "")
        message(FATAL_ERROR "${DIR}/${file}: begin with '-- name: NAME'")
    endif()
    while(NOT at LESS 0)
        math(EXPR at "${at} + 9")
        string(SUBSTRING "${text}" ${at} -1 text)
        string(FIND "${text}" "\n" end)
        string(SUBSTRING "${text}" 0 ${end} name)
        string(SUBSTRING "${text}" ${end} -1 text)
        if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
            message(FATAL_ERROR "${DIR}/${file}: '${name}' is no name: use a-z, 0-9 and _")
        endif()
        string(FIND "${names}" " ${name} " twice)
        if(NOT twice LESS 0)
            message(FATAL_ERROR "${DIR}/${file}: a second statement is called '${name}'")
        endif()
        string(APPEND names "${name} ")
        string(FIND "${text}" "== name: " at)
        string(SUBSTRING "${text}" 0 ${at} statement)
        string(STRIP "${statement}" statement)
        if(statement STREQUAL "")
            message(FATAL_ERROR "${DIR}/${file}: '${name}' has no statement")
        endif()
        string(REPLACE "\\" "\\\\" statement "${statement}")
        string(REPLACE "\"" "\\\"" statement "${statement}")
        string(REPLACE "??" "?\\?" statement "${statement}")
        string(REPLACE "\n" "\\n\"\n    \"" statement "${statement}")
        string(TOUPPER "SQL_${name}" constant)
        string(APPEND declarations "extern const char ${constant}[];\n")
        string(APPEND definitions "const char ${constant}[] =\n    \"${statement}\";\n\n")
        string(APPEND rows "    {\"${name}\", ${constant}},\n")
    endwhile()
endforeach()

set(made "/* SPDX-License-Identifier: MIT */\n/* Made from the .sql files by cmake/embed-statements.cmake. */\n")
file(WRITE ${OUTPUT}.h "${made}#pragma once

#include \"base/named_statement.h\"

${declarations}
extern const struct named_statement ${ARRAY}[];
extern const size_t ${ARRAY}_count;
")
file(WRITE ${OUTPUT}.c "${made}#include \"${FOLDER}/statements.h\"

${definitions}const struct named_statement ${ARRAY}[] = {
${rows}};

const size_t ${ARRAY}_count = sizeof ${ARRAY} / sizeof ${ARRAY}[0];
")
