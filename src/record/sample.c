/* SPDX-License-Identifier: MIT */
#include "record/sample.h"

#include "base/limit.h"
#include "base/zone.h"

const struct field sample_fields[SAMPLE_FIELD_COUNT] = {
#define X(member_, id_, type_, unit_, flags_, label_, doc_)                                    \
    [SAMPLE_##member_] = {                                                                     \
        .member = #member_,                                                                    \
        .id = id_,                                                                             \
        .label = label_,                                                                       \
        .doc = doc_,                                                                           \
        .type = FIELD_##type_,                                                                 \
        .unit = UNIT_##unit_,                                                                  \
        .flags = flags_,                                                                       \
        .offset = offsetof(struct sample, member_),                                            \
    },
    SAMPLE_FIELDS(X)
#undef X
};

const struct field *sample_field_find(struct str id)
{
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (str_eq(id, str_of(sample_fields[i].id))) {
            return &sample_fields[i];
        }
    }
    return NULL;
}

bool sample_any(const struct sample *sample)
{
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(sample->has); i++) {
        any = any || sample->has[i] != 0;
    }
    return any;
}

static void set_bit(struct sample *sample, enum sample_field field)
{
    sample->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
}

void sample_set_int(struct sample *sample, enum sample_field field, int64_t value)
{
    memcpy((char *)sample + sample_fields[field].offset, &value, sizeof(value));
    set_bit(sample, field);
}

void sample_set_text(struct sample *sample, enum sample_field field, struct str text)
{
    memcpy((char *)sample + sample_fields[field].offset, &text, sizeof(text));
    set_bit(sample, field);
}

int64_t sample_int(const struct sample *sample, enum sample_field field)
{
    int64_t value;
    memcpy(&value, (const char *)sample + sample_fields[field].offset, sizeof(value));
    return value;
}

struct str sample_text(const struct sample *sample, enum sample_field field)
{
    struct str text;
    memcpy(&text, (const char *)sample + sample_fields[field].offset, sizeof(text));
    return text;
}

int64_t sample_generation(uint64_t boot, uint64_t thing)
{
    const uint64_t numbers[] = {boot, thing};
    const uint64_t hash = str_hash((struct str){(const char *)numbers, sizeof(numbers)}, 1);
    return (int64_t)(hash & ((UINT64_C(1) << 53) - 1));
}

/* What lies beyond is no amount of this unit. */
static int64_t most_of(const struct field *field)
{
    switch (field->unit) {
    case UNIT_COUNT:
        return SAMPLE_COUNT_MAX;
    case UNIT_RATIO:
        return SAMPLE_COUNT_MAX * 1000000;
    case UNIT_SECONDS:
        return RUN_USE_US_MAX;
    case UNIT_BYTES:
        return RUN_AMOUNT_MAX;
    case UNIT_JOULES:
        return RUN_ENERGY_MAX;
    case UNIT_INSTANT:
        return INSTANT_MAX - 1;
    case UNIT_TRUTH:
        return 1;
    case UNIT_NONE:
    case UNIT_HOURS:
    case UNIT_GIB_SECONDS:
    case UNIT_GIB_HOURS:
    case UNIT_SU:
    case UNIT_MILLIJOULES:
    case UNIT_MONEY:
    case UNIT_COUNT_OF:
        break;
    }
    return INT64_MAX;
}

static int check_field(const struct sample *sample, enum sample_field field, struct error *err)
{
    const struct field *f = &sample_fields[field];
    if (f->type == FIELD_TEXT) {
        const struct str text = sample_text(sample, field);
        return text.len > LIMIT_TEXT_FIELD
                   ? error_set(err, ERROR_LIMIT, "%s is longer than %d bytes", f->id,
                               LIMIT_TEXT_FIELD)
                   : 0;
    }
    const int64_t value = sample_int(sample, field);
    return value < 0 || value > most_of(f)
               ? error_set(err, ERROR_INPUT, "impossible %s: %lld", f->id, (long long)value)
               : 0;
}

static int check_known(const struct sample *sample, struct error *err)
{
    static const enum sample_field needed[] = {SAMPLE_cluster, SAMPLE_node, SAMPLE_time,
                                               SAMPLE_command};

    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        if (needed[i] == SAMPLE_command && SAMPLE_HAS(sample, kind)) {
            continue; /* only processes run a program */
        }
        if (!sample_has(sample, needed[i]) || (sample_fields[needed[i]].type == FIELD_TEXT &&
                                               sample_text(sample, needed[i]).len == 0)) {
            return error_set(err, ERROR_INPUT, "no %s", sample_fields[needed[i]].id);
        }
    }
    return 0;
}

int sample_check(struct sample *sample, struct error *err)
{
    int failed = check_known(sample, err);
    for (unsigned i = 0; !failed && i < SAMPLE_FIELD_COUNT; i++) {
        failed = sample_has(sample, i) ? check_field(sample, i, err) : 0;
    }
    if (sample->pid == 0) {
        SAMPLE_CLEAR(sample, pid);
    }
    if (sample->job == 0) {
        SAMPLE_CLEAR(sample, job);
    }
    return failed;
}
