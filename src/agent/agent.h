/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint-agent, the program that runs on nodes: its commands and their options are tables, from
 * which the command line is read and help and manual page are made. Everything that prints,
 * reads the environment or starts programs on a node is here; what is looked at, and how, is
 * the sampler's. Neither database is linked.
 */

#include <stddef.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/str.h"

enum { AGENT_OPTIONS_MAX = 16 };

struct agent_option {
    const char *name;  /* --name */
    const char *value; /* what the help calls its value; NULL: a flag */
    const char *help;
};

/* Values by the option's place in its table; NULL: not given; of a flag, "". */
struct agent_values {
    const char *at[AGENT_OPTIONS_MAX];
};

struct agent_command {
    const char *name, *summary, *description, *example;
    const struct agent_option *options;
    size_t option_count;
    /*
     * Returns the exit status: 0 done, 1 failed or something was amiss (and said so), 2 wrong
     * usage.
     */
    int (*run)(const struct agent_values *values);
};

extern const struct agent_command sample_command, run_command, check_command;

extern const struct agent_command *const agent_commands[]; /* ends with NULL */

enum { AGENT_DONE = 0, AGENT_FAILED = 1, AGENT_USAGE = 2 };

/* Says something went wrong, on standard error, with the program's name before it. */
void agent_complain(const char *format, ...) PRINTF_LIKE(1, 2);

/* Writes to standard output; the exit status. */
int agent_print(struct str text);

void agent_help(struct buf *out);
void agent_manual(struct buf *out); /* for man(1) */

int agent_main(int argc, char **argv);
