/* SPDX-License-Identifier: MIT */
#include "command/browser.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

int browser_open(const char *address, struct error *err)
{
    const char *named = getenv("BROWSER");
    char *program = mem_text(named && *named ? named : "xdg-open");
    char *where = mem_text(address);
    char *const words[] = {program, where, NULL};
    pid_t child = 0;
    int status = 0;
    const int wrong = posix_spawnp(&child, program, NULL, NULL, words, environ);
    while (!wrong && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int failed = 0;
    if (wrong) {
        failed = error_set(err, ERROR_IO, "cannot start the browser '%s': %s; set $BROWSER",
                           program, strerror(wrong));
    } else if (status != 0) {
        failed = error_set(err, ERROR_IO, "the browser '%s' failed; set $BROWSER", program);
    }
    free(program);
    free(where);
    return failed;
}
