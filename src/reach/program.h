/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs a program of the scheduler and keeps what it says.
 *
 * No shell is in between: the words are the words. The program gets `input` as its standard
 * input, if there is one, an environment of ours with `environment` laid over it, and a process
 * group of its own, which is ended (TERM, then KILL) when time is up or the user wants to stop.
 * Its output goes into a spool (base/spool.h), never into memory; of what it says on standard
 * error the last PROGRAM_SAID bytes are kept.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/stop.h"

enum { PROGRAM_SAID = 1024 };

struct program {
    const char *const *words; /* NULL-terminated; the first is looked up in PATH */
    const char *const
        *environment;   /* "NAME=value" that override ours; NULL-terminated; or NULL */
    int64_t timeout_us; /* 0: none */
    int also_status;    /* an exit status that is no failure either; 0: only 0 means none */
    uint64_t limit;     /* most bytes of output; beyond it the program is ended */
    const struct spool *input; /* its standard input, rewound; NULL: nothing */
    const struct stop *stop;   /* may be NULL */
};

/*
 * Runs it to its end. *out is an open spool with its whole output, rewound, which the caller
 * closes; on failure it is not open. That it cannot be started, was ended by a signal, ran too
 * long, said too much or exited with anything but 0 (or `also_status`) is an error whose
 * sentence names the program and quotes the last line it said.
 */
int program_run(const struct program *program, struct spool *out, struct error *err) MUST_CHECK;
