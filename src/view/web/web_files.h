/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The files of web/, as they were when stint was built: templates, styles, pictures. Made by
 * cmake/embed-web.cmake.
 */

#include "view/web/template.h"

extern const struct template_set web_files;
