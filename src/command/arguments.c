/* SPDX-License-Identifier: MIT */
#include "command/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "command/globals.h"

struct reader {
    const struct operation *operation;
    int argc;
    char *const *argv;
    int at;
    size_t positional; /* how many positional values were taken */
    struct arguments *out;
    struct error *err;
};

/* Parameter `index` among the operation's and then the global ones. */
static bool param_at(const struct operation *operation, size_t index, struct param *param,
                     bool *global)
{
    size_t own = 0;
    *global = false;
    for (; operation_param(operation, own, param); own++) {
        if (own == index) {
            return true;
        }
    }
    if (index - own < global_param_count) {
        *param = global_params[index - own];
        *global = true;
        return true;
    }
    return false;
}

/* Whether `full` begins with `name`; a dash and an underscore are the same in names. */
static bool begins(struct str full, struct str name)
{
    bool same = name.len <= full.len;
    for (size_t i = 0; same && i < name.len; i++) {
        same = (name.ptr[i] == '_' ? '-' : name.ptr[i]) ==
               (full.ptr[i] == '_' ? '-' : full.ptr[i]);
    }
    return same;
}

/* No option is called `name`, or several could be: says so, and what would be right. */
static int refuse_long(struct reader *r, struct str name, const struct buf *candidates)
{
    struct param param;
    bool global;
    struct nearest nearest = nearest_to(name);
    if (candidates->len > 0) {
        return error_set(r->err, ERROR_USAGE, "--%.*s is ambiguous: it could be%s",
                         STR_ARG(name), candidates->ptr);
    }
    for (size_t i = 0; param_at(r->operation, i, &param, &global); i++) {
        if (!param.positional) {
            nearest_try(&nearest, str_of(param.name));
        }
    }
    if (nearest.name.ptr) {
        return error_set(r->err, ERROR_USAGE, "there is no option --%.*s; did you mean --%.*s?",
                         STR_ARG(name), STR_ARG(nearest.name));
    }
    return error_set(r->err, ERROR_USAGE, "there is no option --%.*s; see: stint help %s",
                     STR_ARG(name), r->operation->name);
}

/* The option that sacct, reportseff or others call `name`. */
static bool find_synonym(const struct reader *r, struct str name, struct param *found,
                         bool *global)
{
    for (size_t i = 0; param_at(r->operation, i, found, global); i++) {
        struct str rest = str_of(found->synonyms);
        while (rest.ptr) {
            if (str_eq(str_cut(&rest, ' '), name)) {
                return true;
            }
        }
    }
    return false;
}

/* The option called `name`: exactly, or by an unambiguous beginning. */
static int find_long(struct reader *r, struct str name, struct param *found, bool *found_global)
{
    struct param param;
    bool global;
    size_t matches = 0;
    struct buf candidates;
    buf_init(&candidates, ERROR_TEXT_MAX);
    for (size_t i = 0; param_at(r->operation, i, &param, &global); i++) {
        struct str full = str_of(param.name);
        if (param.positional || name.len == 0 || !begins(full, name)) {
            continue;
        }
        *found = param;
        *found_global = global;
        if (full.len == name.len) {
            matches = 1;
            break;
        }
        buf_addf(&candidates, "%s --%s", matches++ ? "," : "", param.name);
    }
    bool clear = matches == 1 || (matches == 0 && find_synonym(r, name, found, found_global));
    int failed = clear ? 0 : refuse_long(r, name, &candidates);
    buf_release(&candidates);
    return failed;
}

static int find_letter(struct reader *r, char letter, struct param *found, bool *global)
{
    for (size_t i = 0; param_at(r->operation, i, found, global); i++) {
        if (found->letter == letter) {
            return 0;
        }
    }
    return error_set(r->err, ERROR_USAGE, "there is no option -%c; see: stint help %s", letter,
                     r->operation->name);
}

static int add_value(struct reader *r, const struct param *param, bool global, struct str value)
{
    int failed =
        global ? param_check(param, value, r->err) : 0; /* the operation's: by the door */
    if (failed) {
        return failed;
    }
    struct request_value **list = global ? &r->out->globals : &r->out->values;
    size_t *count = global ? &r->out->global_count : &r->out->count;
    if (*count == REQUEST_VALUES_MAX) {
        return error_set(r->err, ERROR_USAGE, "more than %d values", REQUEST_VALUES_MAX);
    }
    *list = mem_resize(*list, *count + 1, sizeof(struct request_value));
    (*list)[(*count)++] = (struct request_value){param->name, value};
    return 0;
}

/* The word after an option, which is its value. */
static int next_word(struct reader *r, const struct param *param, struct str *value)
{
    if (r->at + 1 >= r->argc) {
        return error_set(r->err, ERROR_USAGE, "--%s needs a value (%s)", param->name,
                         param->value);
    }
    *value = str_of(r->argv[++r->at]);
    return 0;
}

static int read_long(struct reader *r, struct str word)
{
    struct str rest = {word.ptr + 2, word.len - 2};
    struct str name = str_cut(&rest, '=');
    struct param param = {0};
    bool global = false;
    int failed = find_long(r, name, &param, &global);
    if (failed) {
        return failed;
    }
    if (param.type == PARAM_FLAG) {
        return rest.ptr ? error_set(r->err, ERROR_USAGE, "--%s takes no value", param.name)
                        : add_value(r, &param, global, STR("yes"));
    }
    struct str value = rest;
    if (!rest.ptr && (failed = next_word(r, &param, &value)) != 0) {
        return failed;
    }
    return add_value(r, &param, global, value);
}

/* -u alice, -ualice, -nf */
static int read_letters(struct reader *r, struct str word)
{
    for (size_t i = 1; i < word.len; i++) {
        struct param param = {0};
        bool global = false;
        int failed = find_letter(r, word.ptr[i], &param, &global);
        if (failed) {
            return failed;
        }
        if (param.type == PARAM_FLAG) {
            failed = add_value(r, &param, global, STR("yes"));
            if (failed) {
                return failed;
            }
            continue;
        }
        struct str value = {word.ptr + i + 1, word.len - i - 1};
        if (value.len == 0 && (failed = next_word(r, &param, &value)) != 0) {
            return failed;
        }
        return add_value(r, &param, global, value);
    }
    return 0;
}

/*
 * Positional words fill the positional parameters in order; a repeated one takes all that
 * follow.
 */
static int read_positional(struct reader *r, struct str word)
{
    struct param param;
    size_t place = 0;
    for (size_t i = 0; operation_param(r->operation, i, &param); i++) {
        if (!param.positional) {
            continue;
        }
        if (place == r->positional || param.repeated) {
            r->positional++;
            return add_value(r, &param, false, word);
        }
        place++;
    }
    return error_set(r->err, ERROR_USAGE, "unexpected argument '%.*s'; see: stint help %s",
                     STR_ARG(word), r->operation->name);
}

int arguments_read(const struct operation *operation, int argc, char *const *argv,
                   struct arguments *out, struct error *err)
{
    struct reader r = {
        .operation = operation, .argc = argc, .argv = argv, .out = out, .err = err};
    bool options = true;
    int failed = 0;
    for (; r.at < argc && !failed; r.at++) {
        struct str word = str_of(argv[r.at]);
        if (options && str_eq(word, STR("--"))) {
            options = false;
        } else if (options && str_starts(word, STR("--"))) {
            failed = read_long(&r, word);
        } else if (options && word.len > 1 && word.ptr[0] == '-') {
            failed = read_letters(&r, word);
        } else {
            failed = read_positional(&r, word);
        }
    }
    return failed;
}

void arguments_release(struct arguments *arguments)
{
    free(arguments->globals);
    free(arguments->values);
    *arguments = (struct arguments){0};
}
