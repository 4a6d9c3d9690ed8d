/* SPDX-License-Identifier: MIT */
#include "command/console.h"

#include <stdio.h>

#include "base/limit.h"
#include "base/printable.h"

void say(const char *sentence)
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    printable_add(&out, str_of(sentence), false);
    fprintf(stderr, "stint: %s\n", buf_str(&out).len > 0 ? out.ptr : "");
    buf_release(&out);
}

int say_error(const struct error *err)
{
    say(err->text);
    return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
