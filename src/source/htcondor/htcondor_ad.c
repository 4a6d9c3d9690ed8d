/* SPDX-License-Identifier: MIT */
#include "source/htcondor/htcondor_ad.h"

#include "base/scan.h"
#include "source/common/record_text.h"

static const struct str names[AD_ATTRIBUTE_COUNT] = {
#define X(attribute, name) [AD_##attribute] = {(name), sizeof(name) - 1},
    AD_ATTRIBUTES(X)
#undef X
};

_Static_assert(AD_ATTRIBUTE_COUNT < UINT8_MAX, "an attribute's number fits into a byte");

/* Of a name that is not empty: an ad has some hundred, of which we want a third. */
static size_t bucket_of(struct str name)
{
    size_t first = (unsigned char)name.ptr[0] | 0x20;
    size_t last = (unsigned char)name.ptr[name.len - 1] | 0x20;
    return (name.len * 37 + first * 5 + last) % AD_BUCKETS;
}

void ad_format_init(struct ad_format *format, enum ad_language language)
{
    *format = (struct ad_format){.language = language};
    for (unsigned i = 0; i < AD_ATTRIBUTE_COUNT; i++) {
        size_t bucket = bucket_of(names[i]);
        format->next[i] = format->first[bucket];
        format->first[bucket] = (uint8_t)(i + 1);
    }
}

void ad_set(struct ad *ad, const struct ad_format *format, struct str name,
            struct ad_value value)
{
    ad->count++;
    if (name.len == 0) {
        return;
    }
    for (unsigned i = format->first[bucket_of(name)]; i > 0; i = format->next[i - 1]) {
        if (str_eq_nocase(names[i - 1], name)) {
            ad->values[i - 1] = value;
            return;
        }
    }
}

bool ad_micro(const struct ad *ad, enum ad_attribute attribute, int64_t *out)
{
    const struct ad_value *value = &ad->values[attribute];
    return value->kind == AD_NUMBER && scan_decimal(value->text, 6, out);
}

bool ad_int(const struct ad *ad, enum ad_attribute attribute, int64_t *out)
{
    const struct ad_value *value = &ad->values[attribute];
    return value->kind == AD_NUMBER && scan_decimal(value->text, 0, out);
}

struct str ad_text(const struct ad *ad, enum ad_attribute attribute)
{
    const struct ad_value *value = &ad->values[attribute];
    return value->kind == AD_TEXT ? value->text : (struct str){0};
}

void ad_take(struct source_cursor *cursor, size_t length)
{
    cursor->record = (struct str){cursor->rest.ptr, length};
    cursor->line = cursor->next_line;
    cursor->next_line += source_count_lines(cursor->record);
    cursor->rest.ptr += length;
    cursor->rest.len -= length;
}
