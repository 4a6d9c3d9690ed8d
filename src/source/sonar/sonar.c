/* SPDX-License-Identifier: MIT */
#include "source/sonar/sonar.h"

#include "source/sonar/sonar_record.h"

static const struct sonar_format table_format = {.json = false};
static const struct sonar_format json_format = {.json = true};

static int sonar_recognise(struct str head)
{
    const int sure = sonar_json_recognise(head);
    return sure > 0 ? sure : sonar_csv_recognise(head);
}

/* No line of a table begins with a brace. */
static int sonar_open(struct str head, const struct source_options *options, void **format,
                      struct error *err)
{
    (void)options;
    (void)err;
    const struct str text = str_trim(head);
    const bool json = text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
    const struct sonar_format *found = json ? &json_format : &table_format;
    memcpy(format, &found, sizeof(found));
    return 0;
}

static size_t sonar_cut(const void *format, struct str data, bool last)
{
    (void)last;
    if (((const struct sonar_format *)format)->json) {
        return sonar_json_cut(data);
    }
    const char *feed = data.len > 0 ? memrchr(data.ptr, '\n', data.len) : NULL;
    return feed ? (size_t)(feed - data.ptr) + 1 : 0;
}

static bool sonar_skip(const void *format, uint64_t *state, struct str data, size_t *used)
{
    if (((const struct sonar_format *)format)->json) {
        return sonar_json_skip(state, data, used);
    }
    const char *feed = str_byte(data, '\n');
    *used = feed ? (size_t)(feed - data.ptr) + 1 : data.len;
    return feed != NULL;
}

static enum source_step sonar_next(const void *format, struct source_cursor *cursor,
                                   struct sample *sample, struct error *err)
{
    return ((const struct sonar_format *)format)->json ? sonar_json_next(cursor, sample, err)
                                                       : sonar_csv_next(cursor, sample, err);
}

const struct source_driver sonar_driver = {
    .name = "sonar",
    .summary = "samples of processes: sonar's tables and JSON",
    .version = 3,
    .recognise = sonar_recognise,
    .open = sonar_open,
    .cut = sonar_cut,
    .skip = sonar_skip,
    .next_sample = sonar_next,
};
