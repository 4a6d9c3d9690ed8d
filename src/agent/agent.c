/* SPDX-License-Identifier: MIT */
#include "agent/agent.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/nearest.h"
#include "base/printable.h"

const struct agent_command *const agent_commands[] = {&sample_command, &run_command,
                                                      &check_command, NULL};

void agent_complain(const char *format, ...)
{
    va_list args;
    struct buf text;
    buf_init(&text, ERROR_TEXT_MAX);
    va_start(args, format);
    buf_addv(&text, format, args);
    va_end(args);
    struct buf shown; /* a name of a file or of a process may not act on the terminal */
    buf_init(&shown, 8 * ERROR_TEXT_MAX);
    printable_add(&shown, buf_str(&text), false);
    (void)fprintf(stderr, "stint-agent: %s\n", buf_str(&shown).len > 0 ? shown.ptr : "");
    buf_release(&shown);
    buf_release(&text);
}

int agent_print(struct str text)
{
    if (fwrite(text.ptr, 1, text.len, stdout) != text.len || fflush(stdout) != 0) {
        agent_complain("cannot write: %s", strerror(errno));
        return AGENT_FAILED;
    }
    return AGENT_DONE;
}

/* --- the command line --------------------------------------------------------------------- */

/* The place of an option in its table; `count` if there is none of that name. */
static size_t find_option(const struct agent_command *command, struct str name)
{
    size_t i = 0;
    while (i < command->option_count && !str_eq(name, str_of(command->options[i].name))) {
        i++;
    }
    return i;
}

static int unknown_option(const struct agent_command *command, struct str name)
{
    struct error err;
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < command->option_count; i++) {
        nearest_try(&nearest, str_of(command->options[i].name));
    }
    (void)nearest_refuse(&nearest, "option", "see: stint-agent --help", &err);
    agent_complain("%s", err.text);
    return AGENT_USAGE;
}

/* One option with its value, which may be the next word; *at is moved past what was used. */
static int read_option(const struct agent_command *command, int argc, char **argv, int *at,
                       struct agent_values *values)
{
    struct str name = str_of(argv[*at]);
    if (!str_starts(name, STR("--"))) {
        agent_complain("'%s' is no option; see: stint-agent --help", argv[*at]);
        return AGENT_USAGE;
    }
    name = (struct str){name.ptr + 2, name.len - 2};
    struct str value = name;
    name = str_cut(&value, '=');
    const size_t i = find_option(command, name);
    if (i == command->option_count) {
        return unknown_option(command, name);
    }
    const struct agent_option *option = &command->options[i];
    if (!option->value && value.ptr) {
        agent_complain("--%s takes no value", option->name);
        return AGENT_USAGE;
    }
    const char *given = value.ptr ? value.ptr : "";
    if (option->value && !value.ptr && *at + 1 < argc) {
        given = argv[++*at];
    }
    values->at[i] = given;
    if (option->value && !*given) {
        agent_complain("--%s wants a value: --%s %s", option->name, option->name,
                       option->value);
        return AGENT_USAGE;
    }
    return AGENT_DONE;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int print_help(void (*make)(struct buf *out))
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    make(&out);
    int status = agent_print(buf_str(&out));
    buf_release(&out);
    return status;
}

static int start_command(const struct agent_command *command, int argc, char **argv)
{
    struct agent_values values = {0};
    assert(command->option_count <= AGENT_OPTIONS_MAX);
    for (int at = 0; at < argc; at++) {
        if (asks_for_help(argv[at])) {
            return print_help(agent_help);
        }
        int status = read_option(command, argc, argv, &at, &values);
        if (status != AGENT_DONE) {
            return status;
        }
    }
    return command->run(&values);
}

static int unknown_command(const char *name)
{
    struct error err;
    struct nearest nearest = nearest_to(str_of(name));
    for (size_t i = 0; agent_commands[i]; i++) {
        nearest_try(&nearest, str_of(agent_commands[i]->name));
    }
    (void)nearest_refuse(&nearest, "command", "see: stint-agent --help", &err);
    agent_complain("%s", err.text);
    return AGENT_USAGE;
}

int agent_main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        return agent_print(STR("stint-agent " STINT_VERSION "\n"));
    }
    if (strcmp(name, "help") == 0 || asks_for_help(name)) {
        const bool manual = argc > 2 && strcmp(argv[2], "--man") == 0;
        return print_help(manual ? agent_manual : agent_help);
    }
    for (size_t i = 0; agent_commands[i]; i++) {
        if (strcmp(name, agent_commands[i]->name) == 0) {
            return start_command(agent_commands[i], argc - 2, argv + 2);
        }
    }
    return unknown_command(name);
}
