/* SPDX-License-Identifier: MIT */
#include "command/help.h"

#include <string.h>

#include "command/globals.h"
#include "report/catalog.h"

enum { HELP_COLUMN = 30, HELP_WIDTH = 96 };

/* Text broken at blanks, from `column` on; the lines after the first begin at `indent`. */
static void add_wrapped(struct buf *out, struct str text, size_t column, size_t indent)
{
    bool first = true;
    for (struct str rest = text; rest.ptr;) {
        struct str word = str_cut(&rest, ' ');
        if (!first && column + 1 + word.len > HELP_WIDTH) {
            buf_addc(out, '\n');
            buf_fill(out, ' ', indent);
            column = indent;
            first = true;
        }
        if (!first) {
            buf_addc(out, ' ');
            column++;
        }
        buf_add(out, word);
        column += word.len;
        first = false;
    }
    buf_addc(out, '\n');
}

/* A line "  left   text", the text wrapped. */
static void add_entry(struct buf *out, struct str left, const char *text)
{
    buf_addz(out, "  ");
    buf_add(out, left);
    size_t column = 2 + left.len;
    if (column + 2 > HELP_COLUMN) {
        buf_addc(out, '\n');
        column = 0;
    }
    buf_fill(out, ' ', HELP_COLUMN - column);
    add_wrapped(out, str_of(text), HELP_COLUMN, HELP_COLUMN);
}

/* "-u, --user PATTERN" */
static void add_spelling(struct buf *out, const struct param *param)
{
    if (param->letter) {
        buf_addf(out, "-%c, ", param->letter);
    }
    buf_addf(out, "--%s", param->name);
    if (param->value) {
        buf_addf(out, " %s", param->value);
    }
}

static void add_param(struct buf *out, const struct param *param)
{
    struct buf left, text;
    buf_init(&left, 256);
    buf_init(&text, 1024);
    if (param->positional) {
        buf_addz(&left, param->value);
    } else {
        add_spelling(&left, param);
    }
    buf_addz(&text, param->help);
    if (param->type == PARAM_CHOICE) {
        buf_addz(&text, ": ");
        param_words(&text, param);
    }
    if (param->fallback) {
        buf_addf(&text, " (default %s)", param->fallback);
    }
    add_entry(out, buf_str(&left), text.ptr);
    buf_release(&left);
    buf_release(&text);
}

static void add_synopsis(struct buf *out, const struct operation *operation)
{
    struct param param;
    buf_addf(out, "stint %s", operation->name);
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (param.positional) {
            buf_addf(out, param.required ? " %s" : " [%s]", param.value);
            buf_addz(out, param.repeated ? "..." : "");
        }
    }
    buf_addz(out, " [OPTION]...");
}

void help_overview(struct buf *out)
{
    buf_addz(out, "stint: usage accounting for compute clusters\n\nusage: stint COMMAND "
                  "[ARGUMENT]... [OPTION]...\n\n");
    for (size_t i = 0; operations[i]; i++) {
        add_entry(out, str_of(operations[i]->name), operations[i]->summary);
    }
    add_entry(out, STR("help [COMMAND]"), "explain a command, with its options and examples");
    add_entry(out, STR("open [COMMAND]..."),
              "print the address of the page that answers a command; with --browser, open it");
    add_entry(out, STR("completion SHELL"),
              "print the completion script for bash, zsh or fish");
    add_entry(out, STR("version"), "print the version");
    buf_addz(out, "\nOptions of every command:\n");
    for (size_t i = 0; i < global_param_count; i++) {
        add_param(out, &global_params[i]);
    }
    buf_addz(out,
             "\nTo get started: stint import auto --cluster NAME FILE, or try: stint demo\n");
}

/* Which heading a parameter stands under. */
enum section {
    SECTION_ARGUMENTS,
    SECTION_OPTIONS,
    SECTION_PERIOD,
    SECTION_FILTERS,
    SECTION_DERIVED,
    SECTION_COUNT,
};

static enum section section_of(const struct operation *operation, size_t index,
                               const struct param *param)
{
    if (param->positional) {
        return SECTION_ARGUMENTS;
    }
    if (index < operation->param_count || operation->sets & PARAMS_KIND) {
        return SECTION_OPTIONS;
    }
    if (strcmp(param->name, "from") == 0 || strcmp(param->name, "to") == 0) {
        return SECTION_PERIOD;
    }
    const struct field *field = column_find(str_of(param->name));
    return field && !field->member ? SECTION_DERIVED : SECTION_FILTERS;
}

static const char *const section_titles[SECTION_COUNT] = {
    [SECTION_ARGUMENTS] = "Arguments",
    [SECTION_OPTIONS] = "Options",
    [SECTION_PERIOD] = "Period",
    [SECTION_FILTERS] = ("Fields, as filters (repeatable; lists a,b; globs; !not; numbers "
                         "8..64, >8; ---: not recorded)"),
    [SECTION_DERIVED] = "Fields computed from these (not for --by)",
};

static bool is_report(const struct operation *operation)
{
    return operation->sets & PARAMS_FILTERS && operation->param_count > 0 &&
           operation->params[0].positional && operation->params[0].required;
}

/* Whether a parameter is in the help: in brief, only those filters that have a letter are. */
static bool is_told(const struct operation *operation, enum section section,
                    const struct param *param)
{
    return !operation->brief || section < SECTION_FILTERS || param->letter;
}

static void add_actions(struct buf *out, const struct operation *operation)
{
    buf_addz(out, operation->action_count ? "\nActions:\n" : "");
    for (size_t i = 0; i < operation->action_count; i++) {
        add_entry(out, str_of(operation->actions[i].name), operation->actions[i].summary);
    }
}

/* The parameters of a section below its title; nothing where there are none. */
static void add_section(struct buf *out, const struct operation *operation,
                        enum section section)
{
    struct param param;
    bool any = false;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (section_of(operation, i, &param) == section &&
            is_told(operation, section, &param)) {
            if (!any) {
                buf_addf(out, "\n%s:\n", section_titles[section]);
            }
            any = true;
            add_param(out, &param);
        }
    }
}

void help_operation(struct buf *out, const struct operation *operation)
{
    buf_addz(out, "usage: ");
    add_synopsis(out, operation);
    buf_addz(out, "\n\n");
    for (struct str rest = str_of(operation->description); rest.ptr;) {
        add_wrapped(out, str_cut(&rest, '\n'), 0, 0);
    }
    for (enum section section = 0; section < SECTION_COUNT; section++) {
        add_section(out, operation, section);
        if (section == SECTION_ARGUMENTS) {
            add_actions(out, operation);
        }
        if (section == SECTION_FILTERS && operation->brief) {
            add_entry(out, STR("--FIELD VALUE"),
                      "every other field of a run: stint help report");
        }
        if (section == SECTION_ARGUMENTS && is_report(operation)) {
            buf_addz(out, "\nMeasures:\n");
            for (size_t i = 0; i < measure_count; i++) {
                add_entry(out, str_of(measures[i].id), measures[i].doc);
            }
        }
    }
    buf_addz(out, "\nExamples:\n");
    for (struct str rest = str_of(operation->examples); rest.ptr;) {
        buf_addz(out, "  ");
        buf_add(out, str_cut(&rest, '\n'));
        buf_addc(out, '\n');
    }
    buf_addz(out, "\nOptions of every command: stint help\n");
}

/* Text for roff: what it would take for its own is hidden from it. */
static void add_roff(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if ((c == '.' || c == '\'') && (i == 0 || text.ptr[i - 1] == '\n')) {
            buf_addz(out, "\\&");
        }
        if (c == '\\') {
            buf_addz(out, "\\e");
        } else {
            buf_addz(out, c == '-' ? "\\" : "");
            buf_addc(out, c);
        }
    }
}

static void add_roff_param(struct buf *out, const struct param *param)
{
    struct buf left;
    buf_init(&left, 256);
    if (param->positional) {
        buf_addz(&left, param->value);
    } else {
        add_spelling(&left, param);
    }
    buf_addz(out, ".TP\n.B ");
    add_roff(out, buf_str(&left));
    buf_addc(out, '\n');
    add_roff(out, str_of(param->help));
    if (param->type == PARAM_CHOICE) {
        buf_clear(&left);
        param_words(&left, param);
        buf_addz(out, " (");
        add_roff(out, buf_str(&left));
        buf_addc(out, ')');
    }
    buf_addc(out, '\n');
    buf_release(&left);
}

static void add_roff_examples(struct buf *out, const struct operation *operation)
{
    buf_addz(out, ".SH EXAMPLES\n");
    for (struct str rest = str_of(operation->examples); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        struct str command = str_trim(str_cut(&line, '#'));
        buf_addz(out, ".TP\n.B ");
        add_roff(out, command);
        buf_addc(out, '\n');
        add_roff(out, str_trim(line));
        buf_addc(out, '\n');
    }
}

static void manual_overview(struct buf *out)
{
    buf_addz(out,
             ".TH STINT 1 \"\" \"stint " STINT_VERSION
             "\"\n.SH NAME\nstint \\- usage accounting for compute clusters\n"
             ".SH SYNOPSIS\n.B stint\n.I COMMAND\n[ARGUMENT]... [OPTION]...\n.SH COMMANDS\n");
    for (size_t i = 0; operations[i]; i++) {
        buf_addf(out, ".TP\n.BR stint\\-%s (1)\n", operations[i]->name);
        add_roff(out, str_of(operations[i]->summary));
        buf_addc(out, '\n');
    }
    buf_addz(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < global_param_count; i++) {
        add_roff_param(out, &global_params[i]);
    }
    buf_addz(out,
             ".SH EXIT STATUS\n0 done; 1 failed, or something was rejected; 2 wrong usage.\n");
}

void help_manual(struct buf *out, const struct operation *operation)
{
    if (!operation) {
        manual_overview(out);
        return;
    }
    buf_addf(out, ".TH STINT-%s 1 \"\" \"stint " STINT_VERSION "\"\n.SH NAME\nstint\\-%s \\- ",
             operation->name, operation->name);
    add_roff(out, str_of(operation->summary));
    buf_addz(out, "\n.SH SYNOPSIS\n.B ");
    struct buf synopsis;
    buf_init(&synopsis, 1024);
    add_synopsis(&synopsis, operation);
    add_roff(out, buf_str(&synopsis));
    buf_release(&synopsis);
    buf_addz(out, "\n.SH DESCRIPTION\n");
    for (struct str rest = str_of(operation->description); rest.ptr;) {
        add_roff(out, str_cut(&rest, '\n'));
        buf_addz(out, rest.ptr ? "\n.PP\n" : "\n");
    }
    buf_addz(out, operation->action_count ? ".SH ACTIONS\n" : "");
    for (size_t i = 0; i < operation->action_count; i++) {
        buf_addf(out, ".TP\n.B %s\n", operation->actions[i].name);
        add_roff(out, str_of(operation->actions[i].summary));
        buf_addc(out, '\n');
    }
    buf_addz(out, ".SH OPTIONS\n");
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        add_roff_param(out, &param);
    }
    if (is_report(operation)) {
        buf_addz(out, ".SH MEASURES\n");
        for (size_t i = 0; i < measure_count; i++) {
            buf_addf(out, ".TP\n.B %s\n", measures[i].id);
            add_roff(out, str_of(measures[i].doc));
            buf_addc(out, '\n');
        }
    }
    add_roff_examples(out, operation);
    buf_addz(out, ".SH SEE ALSO\n.BR stint (1)\n");
}
