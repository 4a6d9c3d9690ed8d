/* SPDX-License-Identifier: MIT */

/*
 * From words to values: what is read, what is refused, and in which words.
 */
#include "command/arguments.h"

#include <stdio.h>

#include "base/buf.h"
#include "command/globals.h"
#include "service/core/service.h"
#include "support/expect.h"

enum { WORDS_MAX = 16 };

/* Splits at blanks; ~ stands for a blank inside a word, ^ for an empty word. */
static int split(char *text, char **words)
{
    int count = 0;
    for (char *at = text; at && *at;) {
        char *blank = strchr(at, ' ');
        if (blank) {
            *blank++ = '\0';
        }
        for (char *c = at; *c; c++) {
            *c = *c == '~' ? ' ' : *c;
        }
        words[count++] = strcmp(at, "^") == 0 ? at + 1 : at;
        expect_true(count < WORDS_MAX);
        at = blank;
    }
    return count;
}

/* "name=value name=value | global=value" */
static void print(const struct arguments *arguments, struct buf *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        buf_addf(out, "%s%s=%.*s", i ? " " : "", arguments->values[i].name,
                 STR_ARG(arguments->values[i].text));
    }
    for (size_t i = 0; i < arguments->global_count; i++) {
        buf_addf(out, "%s%s=%.*s", i ? " " : " | ", arguments->globals[i].name,
                 STR_ARG(arguments->globals[i].text));
    }
}

struct read_row {
    const char *name; /* also the words after `stint`, the operation first */
    const char *want; /* values, or the error after "! " (a part of it) */
};

static const struct read_row read_rows[] = {
    /* Long options. */
    {"report jobs --by user", "measure=jobs by=user"},
    {"report jobs --by=user", "measure=jobs by=user"},
    {"report jobs --by=", "measure=jobs by="},
    {"report jobs --by ^", "measure=jobs by="},
    {"report jobs --user=a=b", "measure=jobs user=a=b"},
    {"report --by user jobs", "by=user measure=jobs"},
    {"report jobs users", "measure=jobs measure=users"},
    {"report jobs --by user --by group", "measure=jobs by=user by=group"},
    {"report jobs --user a --user !b", "measure=jobs user=a user=!b"},
    {"report jobs --name two~words", "measure=jobs name=two words"},
    {"report jobs --reverse", "measure=jobs reverse=yes"},
    {"report jobs --user --by", "measure=jobs user=--by"},
    {"report jobs --exit_code -1", "measure=jobs exit_code=-1"},

    /* Globals stand apart, wherever they are. */
    {"report jobs --store x", "measure=jobs | store=x"},
    {"report --format csv jobs --no-header", "measure=jobs | format=csv no-header=yes"},
    {"job 5 --quiet --quiet", "id=5 | quiet=yes quiet=yes"},

    /* Beginnings, and dashes for underscores. */
    {"report jobs --rev", "measure=jobs reverse=yes"},
    {"report jobs --form csv", "measure=jobs | format=csv"},
    {"report jobs --user a", "measure=jobs user=a"},
    {"report jobs --req-mem 4G", "measure=jobs req_mem=4G"},
    {"report jobs --req_mem 4G", "measure=jobs req_mem=4G"},
    {"report jobs --no_header", "measure=jobs | no-header=yes"},
    {"report jobs --node x", "measure=jobs node=x"}, /* exact, though --nodes begins so too */

    /* Letters. */
    {"report jobs -b user", "measure=jobs by=user"},
    {"report jobs -buser", "measure=jobs by=user"},
    {"report jobs -t5", "measure=jobs top=5"},
    {"report jobs -u alice -M alder", "measure=jobs user=alice cluster=alder"},
    {"report jobs -S 7d -E now", "measure=jobs from=7d to=now"},
    {"import sge f -nf", "source=sge file=f dry-run=yes follow=yes"},
    {"import sge f -nMalder", "source=sge file=f dry-run=yes cluster=alder"},
    {"import sge f -nM alder", "source=sge file=f dry-run=yes cluster=alder"},
    {"jobs -h", " | help=yes"},
    {"report -h", " | help=yes"}, /* nothing is missing for one who asks for help */

    /* Positional words. */
    {"import sge a b c", "source=sge file=a file=b file=c"},
    {"import sge -", "source=sge file=-"},
    {"import sge -- --odd -n", "source=sge file=--odd file=-n"},
    {"report -- jobs", "measure=jobs"},
    {"report jobs --", "measure=jobs"},
    {"job 4711.3 -M alder", "id=4711.3 cluster=alder"},
    {"doctor", ""},

    /* What is wrong, and what would be right. */
    {"report", "! MEASURE[,...] is missing (what to measure: jobs, jobs_submitted, "},
    {"import", "! SOURCE is missing"},
    {"import sge", "! FILE is missing after SOURCE 'sge' (accounting file, plain, gzip or "
                   "zstd; - is standard input); "
                   "see: stint help import"},
    {"job", "! ID is missing"},
    {"job 1 2", "! unexpected argument '2'; see: stint help job"},
    {"doctor x", "! unexpected argument 'x'; see: stint help doctor"},
    {"report jobs --by", "! --by needs a value (DIMENSION[,...])"},
    {"report jobs -b", "! --by needs a value"},
    {"report jobs --usr x", "! there is no option --usr; did you mean --user?"},
    {"report jobs --frobnicate", "! there is no option --frobnicate; see: stint help report"},
    {"report jobs --", "measure=jobs"},
    {"report jobs --=x", "! there is no option --"},
    {"report jobs -x", "! there is no option -x; see: stint help report"},
    {"report jobs -xb", "! there is no option -x"},
    {"report jobs --reverse=yes", "! --reverse takes no value"},
    {"report jobs --top many", "! --top needs a whole number, not 'many'"},
    {"report jobs --top -3", "! --top needs a whole number, not '-3'"},
    {"report jobs --top 1.5", "! --top needs a whole number, not '1.5'"},
    {"report jobs --top ^", "! --top needs a whole number, not ''"},
    {"report jobs --width wide", "! --width needs a whole number, not 'wide'"},
    {"report jobs --every minute",
     "! --every cannot be 'minute': choose one of: hour day week"},
    {"report jobs --format xml", "! --format cannot be 'xml': choose one of: table csv tsv"},
    {"report jobs --no x", "! --no is ambiguous: it could be --no-rollups, --node, --nodes, "
                           "--node_count, --no-formulas, --no-header"},
    {"report jobs --since 2025 --until 2025-03", "measure=jobs from=2025 to=2025-03"},
    {"report jobs --starttime 2025 --endtime 2025", "measure=jobs from=2025 to=2025"},
    {"report jobs --s x", "! --s is ambiguous: it could be --sort, --state, "},
    {"import sge f --user x", "! there is no option --user"},
};

static bool asks_for_help(const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->global_count; i++) {
        if (strcmp(arguments->globals[i].name, "help") == 0) {
            return true;
        }
    }
    return false;
}

static void reads(void **state)
{
    const struct read_row *row = *state;
    char text[256];
    char *words[WORDS_MAX];
    (void)snprintf(text, sizeof text, "%s", row->name);
    int count = split(text, words);
    const struct operation *operation = operation_find(str_of(words[0]));
    struct arguments arguments = {0};
    struct error err = {0};
    struct buf got;
    expect_true(operation != NULL);
    buf_init(&got, 4096);
    int failed = arguments_read(operation, count - 1, words + 1, &arguments, &err);
    if (!failed && !asks_for_help(&arguments)) { /* what the door says to it */
        const struct request request = {operation, arguments.values, arguments.count, NULL};
        failed = request_check(&request, &err);
    }
    if (row->want[0] == '!') {
        expect_int(failed, ERROR_USAGE);
        expect_contains(err.text, row->want + 2);
    } else {
        if (failed) {
            expect_fail("%s", err.text);
        }
        print(&arguments, &got);
        expect_text(got.ptr, row->want);
    }
    buf_release(&got);
    arguments_release(&arguments);
}

static void too_many_values_are_refused(void **state)
{
    (void)state;
    static char *words[REQUEST_VALUES_MAX + 2];
    static char measure[] = "jobs";
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        words[i] = measure;
    }
    struct arguments arguments = {0};
    struct error err = {0};
    expect_int(
        arguments_read(operation_find(STR("report")), COUNT_OF(words), words, &arguments, &err),
        ERROR_USAGE);
    expect_contains(err.text, "more than 4096 values");
    arguments_release(&arguments);
}

/* No name and no letter means two things in one command. */
static void names_and_letters_are_unambiguous(void **state)
{
    (void)state;
    for (size_t k = 0; operations[k]; k++) {
        struct param all[128];
        size_t count = 0;
        for (; operation_param(operations[k], count, &all[count]); count++) {
            expect_true(count + global_param_count + 1 < COUNT_OF(all));
        }
        for (size_t i = 0; i < global_param_count; i++) {
            all[count++] = global_params[i];
        }
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b < a; b++) {
                if (strcmp(all[a].name, all[b].name) == 0 && !all[a].positional &&
                    !all[b].positional) {
                    expect_fail("stint %s has two options --%s", operations[k]->name,
                                all[a].name);
                }
                if (all[a].letter && all[a].letter == all[b].letter) {
                    expect_fail("stint %s has two options -%c", operations[k]->name,
                                all[a].letter);
                }
            }
        }
    }
}

/* Cuts the words of a command as a shell would, as far as our examples go: blanks and quotes. */
static int split_shell(char *text, char **words)
{
    int count = 0;
    char *to = text;
    for (char *at = text; *at;) {
        while (*at == ' ') {
            at++;
        }
        if (!*at) {
            break;
        }
        words[count++] = to;
        expect_true(count < WORDS_MAX);
        for (char quote = 0; *at && (quote || *at != ' '); at++) {
            if (*at == quote) {
                quote = 0;
            } else if (!quote && (*at == '\'' || *at == '"')) {
                quote = *at;
            } else {
                *to++ = *at;
            }
        }
        at += *at == ' ';
        *to++ = '\0';
    }
    return count;
}

/* An example in the help that is refused would be a poor joke. */
static void every_example_can_be_typed(void **state)
{
    (void)state;
    for (size_t k = 0; operations[k]; k++) {
        for (struct str rest = str_of(operations[k]->examples); rest.ptr;) {
            struct str line = str_cut(&rest, '\n');
            char text[512];
            char *words[WORDS_MAX];
            (void)snprintf(text, sizeof text, "%.*s", STR_ARG(line));
            char *command = strstr(text, "stint ");
            char *remark = strstr(text, " # ");
            expect_true(command && remark && strlen(remark) > 5);
            *remark = '\0';
            char *redirect = strstr(command, " > ");
            if (redirect) {
                *redirect = '\0';
            }
            int count = split_shell(command, words);
            struct arguments arguments = {0};
            struct error err = {0};
            expect_text(words[1], operations[k]->name);
            if (arguments_read(operations[k], count - 2, words + 2, &arguments, &err) != 0) {
                expect_fail("%.*s: %s", STR_ARG(line), err.text);
            }
            arguments_release(&arguments);
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, reads, read_rows);
    SUITE_TEST(&suite, too_many_values_are_refused);
    SUITE_TEST(&suite, names_and_letters_are_unambiguous);
    SUITE_TEST(&suite, every_example_can_be_typed);
    return suite_run(&suite, "arguments");
}
