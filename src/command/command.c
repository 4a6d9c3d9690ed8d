/* SPDX-License-Identifier: MIT */
#include "command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "command/arguments.h"
#include "command/browser.h"
#include "command/console.h"
#include "command/globals.h"
#include "command/help.h"
#include "command/run_request.h"
#include "command/site_settings.h"
#include "serve/http/address.h"
#include "service/core/service.h"

static int print(struct buf *text)
{
    struct error err;
    bool good = fwrite(text->ptr, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
    buf_release(text);
    if (!good) {
        error_errno(&err, "cannot write");
        return say_error(&err);
    }
    return EXIT_DONE;
}

/* Commands that are no operations: they are about the others. */
static const char *const own_commands[] = {"help", "open", "completion", "version"};

static bool is_own_command(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(own_commands); i++) {
        if (strcmp(name, own_commands[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_command(const char *name)
{
    struct nearest nearest = nearest_to(str_of(name));
    for (size_t i = 0; operations[i]; i++) {
        nearest_try(&nearest, str_of(operations[i]->name));
    }
    for (size_t i = 0; i < COUNT_OF(own_commands); i++) {
        nearest_try(&nearest, str_of(own_commands[i]));
    }
    struct error err;
    if (name[0] == '-') {
        error_set(&err, ERROR_USAGE,
                  "the command comes first, then its options: stint COMMAND %s ...; see: "
                  "stint help",
                  name);
    } else if (nearest.name.ptr) {
        error_set(&err, ERROR_USAGE, "there is no command '%s'; did you mean 'stint %.*s'?",
                  name, STR_ARG(nearest.name));
    } else {
        error_set(&err, ERROR_USAGE, "there is no command '%s'; see: stint help", name);
    }
    return say_error(&err);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* stint help --names: for the installation, which makes a manual page for each. */
static int print_names(void)
{
    for (size_t i = 0; operations[i]; i++) {
        puts(operations[i]->name);
    }
    return EXIT_DONE;
}

/* stint help [NAME], stint help --man [NAME] */
static int command_help(int argc, char **argv)
{
    struct buf out;
    if (argc > 0 && strcmp(argv[0], "--names") == 0) {
        return print_names();
    }
    bool manual = argc > 0 && strcmp(argv[0], "--man") == 0;
    const char *name = argc > manual && !asks_for_help(argv[manual]) ? argv[manual] : NULL;
    const struct operation *operation = name ? operation_find(str_of(name)) : NULL;
    if (name && !operation && !is_own_command(name)) {
        return unknown_command(name);
    }
    buf_init(&out, LIMIT_OUTPUT);
    if (manual) {
        help_manual(&out, operation);
    } else if (operation) {
        help_operation(&out, operation);
    } else {
        help_overview(&out);
    }
    return print(&out);
}

static int command_completion(int argc, char **argv)
{
    struct buf out;
    struct error err;
    if (argc > 0 && asks_for_help(argv[0])) {
        return command_help(0, NULL);
    }
    buf_init(&out, LIMIT_OUTPUT);
    if (help_completion(&out, str_of(argc > 0 ? argv[0] : ""), &err) != 0) {
        buf_release(&out);
        return say_error(&err);
    }
    return print(&out);
}

static int command_version(void)
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    buf_addz(&out, "stint " STINT_VERSION "\n");
    return print(&out);
}

static int command_operation(const struct operation *operation, int argc, char **argv)
{
    struct arguments arguments = {0};
    struct error err;
    int status;
    if (arguments_read(operation, argc, argv, &arguments, &err) != 0) {
        status = say_error(&err);
    } else if (settings_text(&arguments, "help").ptr) {
        struct buf out;
        buf_init(&out, LIMIT_OUTPUT);
        help_operation(&out, operation);
        status = print(&out);
    } else {
        status = perform(operation, &arguments);
    }
    arguments_release(&arguments);
    return status;
}

/*
 * The address of the page for a question, or of the first page; printed, and opened where that
 * is wished.
 */
static int open_page(const struct operation *operation, const struct arguments *arguments,
                     bool browse, struct error *err)
{
    const struct request request = {operation, arguments->values, arguments->count, NULL};
    const char *server = settings_server(arguments, true);
    char *store = settings_store(arguments);
    struct buf base, link;
    buf_init(&base, LIMIT_ARGUMENT);
    buf_init(&link, LIMIT_ARGUMENT);
    int failed = operation ? request_check(&request, err) : 0;
    if (!failed && !perform_address(store, server, &base)) {
        failed = error_set(err, ERROR_MISSING,
                           "no server has the store '%s': start one with stint serve, or name "
                           "one with --server https://HOST",
                           store);
    } else if (!failed && operation && !address_of_request(&link, base.ptr, &request)) {
        failed = error_set(err, ERROR_USAGE, "there is no page for stint %s", operation->name);
    }
    if (!failed && !operation) {
        buf_addf(&link, "%s/", base.ptr);
    }
    if (!failed) {
        printf("%s\n", link.ptr);
        failed = fflush(stdout) != 0 ? error_errno(err, "cannot write") : 0;
    }
    failed = failed || !browse ? failed : browser_open(link.ptr, err);
    buf_release(&base);
    buf_release(&link);
    free(store);
    return failed;
}

/* stint open [COMMAND [ARGUMENT]...] [--browser] */
static int command_open(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct error err;
    bool browse = false;
    int count = 0;
    for (int i = 0; i < argc; i++) {
        const bool ours = strcmp(argv[i], "--browser") == 0;
        browse = browse || ours;
        argv[count] = argv[i];
        count += ours ? 0 : 1;
    }
    const bool named = count > 0 && argv[0][0] != '-';
    const struct operation *operation = named ? operation_find(str_of(argv[0])) : NULL;
    if (count > 0 && asks_for_help(argv[0])) {
        return command_help(0, NULL);
    }
    if (named && !operation) {
        return unknown_command(argv[0]);
    }
    /* options alone are those of every command, which any operation has */
    int failed = arguments_read(operation ? operation : operations[0], count - named,
                                argv + named, &arguments, &err);
    failed = failed ? failed : open_page(operation, &arguments, browse, &err);
    arguments_release(&arguments);
    return failed ? say_error(&err) : EXIT_DONE;
}

/*
 * The option of every command that a word is, with its value behind a = or without; NULL: it is
 * not one.
 */
static const struct param *find_global(const char *word)
{
    struct str name = str_of(word);
    if (!str_starts(name, STR("--"))) {
        return NULL;
    }
    name = (struct str){name.ptr + 2, name.len - 2};
    const struct str bare = str_cut(&name, '=');
    for (size_t i = 0; i < global_param_count; i++) {
        if (str_eq(bare, str_of(global_params[i].name))) {
            return &global_params[i];
        }
    }
    return NULL;
}

/* Where the command is: options of every command may stand before it. */
static int find_command(int argc, char **argv)
{
    int at = 1;
    while (at < argc && !asks_for_help(argv[at])) {
        const struct param *param = find_global(argv[at]);
        if (!param) {
            break;
        }
        at += param->type == PARAM_FLAG || strchr(argv[at], '=') ? 1 : 2;
    }
    return at;
}

/* The command with its words, whatever stood before it moved behind it. */
static int command_words(const char *name, int argc, char **argv)
{
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        return command_version();
    }
    if (asks_for_help(name) || strcmp(name, "help") == 0) {
        return command_help(argc, argv);
    }
    if (strcmp(name, "open") == 0) {
        return command_open(argc, argv);
    }
    if (strcmp(name, "completion") == 0) {
        return command_completion(argc, argv);
    }
    const struct operation *operation = operation_find(str_of(name));
    return operation ? command_operation(operation, argc, argv) : unknown_command(name);
}

int command_main(int argc, char **argv)
{
    const int at = find_command(argc, argv);
    char **words = mem_alloc((size_t)argc + 1, sizeof(*words));
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (i != at) {
            words[count++] = argv[i];
        }
    }
    const int status =
        command_words(at < argc ? argv[at] : "help", at < argc ? count : 0, words);
    free(words);
    return status;
}
