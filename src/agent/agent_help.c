/* SPDX-License-Identifier: MIT */

/*
 * Help and manual page, from the tables.
 */

#include "agent/agent.h"

#define SUMMARY "what runs on this node, for stint and for readers of sonar's format"
#define STATUS  "0 done; 1 failed, or something could not be read (and said so); 2 wrong usage."

enum { HELP_COLUMN = 26 };

/* A line "  left   text". */
static void add_entry(struct buf *out, const char *left, const char *value, const char *text)
{
    const size_t begin = out->len;
    buf_addf(out, "  %s%s%s", left, value ? " " : "", value ? value : "");
    const size_t width = out->len - begin;
    buf_fill(out, ' ', width + 2 > HELP_COLUMN ? 2 : HELP_COLUMN - width);
    buf_addf(out, "%s\n", text);
}

static void add_command(struct buf *out, const struct agent_command *command)
{
    buf_addf(out, "\nusage: stint-agent %s", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        const struct agent_option *option = &command->options[i];
        buf_addf(out, " [--%s%s%s]", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
    }
    buf_addf(out, "\n\n%s\n\n", command->description);
    for (size_t i = 0; i < command->option_count; i++) {
        struct buf name;
        buf_init(&name, 64);
        buf_addf(&name, "--%s", command->options[i].name);
        add_entry(out, name.ptr, command->options[i].value, command->options[i].help);
        buf_release(&name);
    }
    buf_addf(out, "\nExample: %s\n", command->example);
}

void agent_help(struct buf *out)
{
    buf_addz(out, "stint-agent: " SUMMARY "\n\n"
                  "usage: stint-agent COMMAND [OPTION]...\n\n");
    for (size_t i = 0; agent_commands[i]; i++) {
        add_entry(out, agent_commands[i]->name, NULL, agent_commands[i]->summary);
    }
    add_entry(out, "--help", NULL, "show this");
    add_entry(out, "--version", NULL, "print the version");
    for (size_t i = 0; agent_commands[i]; i++) {
        add_command(out, agent_commands[i]);
    }
    buf_addz(out, "\nExit status: " STATUS "\n");
}

/* Text for roff: what it would take for its own is hidden from it. */
static void add_roff(struct buf *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if ((*at == '.' || *at == '\'') && (at == text || at[-1] == '\n')) {
            buf_addz(out, "\\&");
        }
        buf_addz(out, *at == '-' || *at == '\\' ? "\\" : "");
        buf_addc(out, *at == '\\' ? 'e' : *at);
    }
}

void agent_manual(struct buf *out)
{
    buf_addz(out, ".TH STINT-AGENT 1 \"\" \"stint " STINT_VERSION "\"\n"
                  ".SH NAME\nstint\\-agent \\- ");
    add_roff(out, SUMMARY);
    buf_addz(out, "\n.SH SYNOPSIS\n.B stint\\-agent\n.I COMMAND\n[OPTION]...\n.SH COMMANDS\n");
    for (size_t c = 0; agent_commands[c]; c++) {
        const struct agent_command *command = agent_commands[c];
        buf_addf(out, ".SS %s\n", command->name);
        add_roff(out, command->description);
        buf_addc(out, '\n');
        for (size_t i = 0; i < command->option_count; i++) {
            const struct agent_option *option = &command->options[i];
            buf_addz(out, ".TP\n.B \\-\\-");
            add_roff(out, option->name);
            buf_addf(out, "%s%s\n", option->value ? " " : "",
                     option->value ? option->value : "");
            add_roff(out, option->help);
            buf_addc(out, '\n');
        }
    }
    buf_addz(out, ".SH EXIT STATUS\n" STATUS "\n.SH SEE ALSO\n.BR stint (1)\n");
}
