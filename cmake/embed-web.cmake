# SPDX-License-Identifier: MIT
#
# cmake -DDIR=web -DBUNDLED=scripts -DFOLDER=view/web -DOUTPUT=web_files.c -P embed-web.cmake
#
# Every file below DIR and BUNDLED becomes a row of web_files, in the order of the names: its name from there on, and its text.
file(GLOB_RECURSE files RELATIVE ${DIR} ${DIR}/*.html ${DIR}/*.css ${DIR}/*.svg)
list(SORT files)
file(GLOB_RECURSE bundles RELATIVE ${BUNDLED} ${BUNDLED}/*.js)
list(SORT bundles)

set(rows "")
foreach(file IN LISTS files bundles)
    set(path ${DIR}/${file})
    if(NOT EXISTS ${path})
        set(path ${BUNDLED}/${file})
    endif()
    file(READ ${path} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "??" "?\\?" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND rows "    {\"${file}\",\n     STR_INIT(\"${text}\")},\n")
endforeach()

file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: MIT */
/* Made from the files of web/ by cmake/embed-web.cmake. */
#include \"${FOLDER}/web_files.h\"

#define STR_INIT(literal) {(literal), sizeof(literal) - 1}

static const struct template_file files[] = {
${rows}};

const struct template_set web_files = {files, sizeof files / sizeof files[0]};
")
