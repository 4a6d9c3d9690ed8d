/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/slurm/slurm_json.h"

json_t *slurm_json_find(const json_t *object, const char *path)
{
    struct str rest = str_of(path);
    json_t *value = NULL;
    while (rest.ptr) {
        struct str key = str_cut(&rest, '.');
        value = json_object_getn(object, key.ptr, key.len);
        object = value;
    }
    return value;
}

bool slurm_json_number(const json_t *value, int64_t *out)
{
    if (json_is_object(value)) {
        const json_t *set = json_object_get(value, "set");
        if ((set && !json_is_true(set)) || json_is_true(json_object_get(value, "infinite"))) {
            return false;
        }
        value = json_object_get(value, "number");
    }
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return *out >= 0;
    }
    if (json_is_real(value)) {
        double real = json_real_value(value);
        if (!(real >= 0) || real >= 9.2e18) {
            return false;
        }
        *out = (int64_t)real;
        return true;
    }
    return json_is_string(value) &&
           scan_int((struct str){json_string_value(value), json_string_length(value)}, out) &&
           *out >= 0;
}

bool slurm_json_number_at(const json_t *object, const char *path, int64_t *out)
{
    return slurm_json_number(slurm_json_find(object, path), out);
}

bool slurm_json_text(const json_t *value, char between, struct arena *arena, struct str *out)
{
    if (json_is_string(value)) {
        *out = arena_copy(arena,
                          (struct str){json_string_value(value), json_string_length(value)});
        return out->len > 0;
    }
    size_t size = 0;
    size_t i;
    const json_t *item;
    json_array_foreach(value, i, item)
    {
        size += json_string_length(item) + 1;
    }
    if (size == 0) {
        return false;
    }
    char *text = arena_alloc(arena, size);
    size_t len = 0;
    json_array_foreach(value, i, item)
    {
        size_t more = json_string_length(item);
        if (more > 0) {
            text[len] = between;
            len += len > 0;
            memcpy(text + len, json_string_value(item), more);
            len += more;
        }
    }
    *out = (struct str){text, len};
    return len > 0;
}

bool slurm_json_scale(enum slurm_json_unit unit, int64_t *value)
{
    switch (unit) {
    case SLURM_UNIT_AS_IS:
        return true;
    case SLURM_UNIT_SMALL:
        return *value < SLURM_NO_VAL_LEAST;
    case SLURM_UNIT_INSTANT_S:
        return *value > 0 && *value < SLURM_NO_VAL_LEAST &&
               !__builtin_mul_overflow(*value, SECOND_US, value);
    case SLURM_UNIT_SECOND:
        return *value < SLURM_NO_VAL_LEAST && !__builtin_mul_overflow(*value, SECOND_US, value);
    case SLURM_UNIT_MINUTE:
        return *value < SLURM_NO_VAL_LEAST &&
               !__builtin_mul_overflow(*value, 60 * SECOND_US, value);
    case SLURM_UNIT_MIB:
        return !__builtin_mul_overflow(*value, INT64_C(1) << 20, value);
    }
    return false;
}

void slurm_json_numbers(const json_t *object, const struct slurm_number_path *paths,
                        size_t count, struct slurm_row *row)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (!slurm_knows(row, paths[i].target) &&
            slurm_json_number_at(object, paths[i].path, &value) &&
            slurm_json_scale(paths[i].unit, &value)) {
            slurm_set(row, paths[i].target, value);
        }
    }
}

void slurm_json_texts(const json_t *object, const struct slurm_text_path *paths, size_t count,
                      struct arena *arena, struct slurm_row *row)
{
    for (size_t i = 0; i < count; i++) {
        struct str text;
        if (!slurm_has(row, paths[i].target) &&
            slurm_json_text(slurm_json_find(object, paths[i].path), ',', arena, &text) &&
            !str_eq(text, STR("(null)"))) {
            slurm_set_text(row, paths[i].target, text);
        }
    }
}
