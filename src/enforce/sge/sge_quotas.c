/* SPDX-License-Identifier: MIT */
#include "enforce/sge/sge_quotas.h"

#include <stdio.h>

static const struct {
    enum enforce_kind kind;
    struct str prefix;
} prefixes[] = {
    {ENFORCE_PROJECT, {"stint_project_", 14}},
    {ENFORCE_USER, {"stint_user_", 11}},
};

enum { SHOWN_MAX = 60 };

static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-' || c == '.')) {
            return false;
        }
    }
    return name.len > 0;
}

int sge_quotas_name(const struct enforce_target *target, char out[SGE_QUOTAS_NAME_MAX],
                    struct error *err)
{
    struct str prefix = {0};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        prefix = prefixes[i].kind == target->kind ? prefixes[i].prefix : prefix;
    }
    if (!prefix.ptr || !is_plain(target->name) ||
        prefix.len + target->name.len >= SGE_QUOTAS_NAME_MAX) {
        return error_set(err, ERROR_INPUT,
                         "Grid Engine takes no resource quota set for '%.*s': its name is too "
                         "long or has other characters than letters, digits, '_', '-' and '.'",
                         STR_ARG(target->name));
    }
    (void)snprintf(out, SGE_QUOTAS_NAME_MAX, "%.*s%.*s", STR_ARG(prefix),
                   STR_ARG(target->name));
    return 0;
}

static int strange(struct str line, struct error *err)
{
    const int shown = line.len < SHOWN_MAX ? (int)line.len : SHOWN_MAX;
    return error_set(err, ERROR_INPUT, "'qconf -srqs' printed no resource quota sets: '%.*s'",
                     shown, line.ptr ? line.ptr : "");
}

/* A set that was read, if it is one of stint's. */
static int add_set(struct str name, bool enabled, struct enforce_states *out, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        const struct str prefix = prefixes[i].prefix;
        if (!str_starts(name, prefix) || name.len == prefix.len) {
            continue;
        }
        struct enforce_state *state = enforce_states_add(out);
        if (!state) {
            return error_set(err, ERROR_LIMIT, "'qconf -srqs' lists more than %d sets",
                             ENFORCE_STATES_MAX);
        }
        state->target = (struct enforce_target){
            .kind = prefixes[i].kind,
            .name = arena_copy(&out->arena,
                               (struct str){name.ptr + prefix.len, name.len - prefix.len})};
        /* its name is the mark; one that somebody has switched off holds nobody */
        state->values[ENFORCE_HOLD] = (struct enforce_value){true, enabled ? 0 : 1};
        state->marks[ENFORCE_HOLD] = (struct enforce_mark){.is = true, .set = enabled ? 0 : 1};
    }
    return 0;
}

int sge_quotas_read(struct str text, struct enforce_states *out, struct error *err)
{
    struct str name = {0};
    bool inside = false, enabled = false;
    int failed = 0;
    while (!failed && text.len > 0 && text.ptr) {
        const struct str line = str_trim(str_cut(&text, '\n'));
        struct str value = line;
        const struct str key = str_cut(&value, ' ');
        value = str_trim(value);
        if (line.len == 0) {
            continue;
        }
        if (!inside) {
            failed = str_eq(line, STR("{")) ? 0 : strange(line, err);
            inside = true;
            enabled = false;
            name = (struct str){0};
        } else if (str_eq(line, STR("}"))) {
            failed = name.len ? add_set(name, enabled, out, err) : strange(line, err);
            inside = false;
        } else if (str_eq(key, STR("name"))) {
            name = value;
        } else if (str_eq(key, STR("enabled"))) {
            enabled = str_eq(value, STR("TRUE"));
        }
    }
    failed = failed ? failed : inside ? strange(STR("an answer that ends in a set"), err) : 0;
    enforce_states_sort(out);
    return failed;
}
