/* SPDX-License-Identifier: MIT */
#include "unit/source/oddities.h"

#include "base/arena.h"
#include "base/zone.h"
#include "unit/source/any_record.h"
#include "unit/source/oddities_others.h"
#include "unit/source/oddities_slurm.h"

/*
 * Shapes of records that have broken other readers, each a test, and the register of them: every
 * entry of $STINT_DATA/oddities.json has its row here. An entry is known by a hash of its words, so
 * that one that is added or changed is missed.
 */

enum { FIXTURE_MAX = 8 << 20, RECORDS_MAX = 20000, VALUE_LEN = 512 };

static const struct {
    const struct oddity *rows;
    size_t count;
} tables[] = {
    {slurm_oddities, COUNT_OF(slurm_oddities)},
    {pbs_oddities, COUNT_OF(pbs_oddities)},
    {sge_oddities, COUNT_OF(sge_oddities)},
    {lsf_oddities, COUNT_OF(lsf_oddities)},
    {htcondor_oddities, COUNT_OF(htcondor_oddities)},
    {swf_oddities, COUNT_OF(swf_oddities)},
    {nomad_oddities, COUNT_OF(nomad_oddities)},
    {sample_oddities, COUNT_OF(sample_oddities)},
};

/* --- the list --------------------------------------------------------------------------------- */

/* The list, or NULL where there is no $STINT_DATA. */
static json_t *read_list(void)
{
    struct buf text;
    if (!getenv("STINT_DATA")) {
        return NULL;
    }
    peer_file("oddities.json", &text);
    json_t *list = json_loadb(text.ptr, text.len, 0, NULL);
    buf_release(&text);
    if (!json_is_array(list)) {
        expect_fail("oddities.json is not a list");
    }
    return list;
}

static uint64_t oddity_key(const json_t *entry)
{
    const char *format = json_string_value(json_object_get(entry, "format"));
    const char *shape = json_string_value(json_object_get(entry, "shape"));
    if (!format || !shape) {
        expect_fail("an entry without format or shape");
    }
    return str_hash(str_of(shape), str_hash(str_of(format), 0));
}

static const struct oddity *find_oddity(uint64_t key)
{
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            if (tables[t].rows[i].key == key) {
                return &tables[t].rows[i];
            }
        }
    }
    return NULL;
}

static size_t count_oddities(void)
{
    size_t count = 0;
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        count += tables[t].count;
    }
    return count;
}

static void every_entry_of_the_list_has_its_row(void **state)
{
    (void)state;
    size_t missing = 0, index = 0;
    (void)peer_folder(); /* or skip */
    json_t *list = read_list();
    json_t *entry = NULL;
    json_array_foreach(list, index, entry)
    {
        uint64_t key = oddity_key(entry);
        if (!find_oddity(key)) {
            print_message("# entry %zu (%s: %s) has no row with key 0x%016llx\n", index + 1,
                          json_string_value(json_object_get(entry, "format")),
                          json_string_value(json_object_get(entry, "shape")),
                          (unsigned long long)key);
            missing++;
        }
    }
    expect_uint(missing, 0);
    expect_uint(json_array_size(list), count_oddities());
    json_decref(list);
}

static void every_row_has_a_key_and_a_fixture_of_its_own(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct oddity *row = &tables[t].rows[i];
            if (find_oddity(row->key) != row) {
                expect_fail("two rows have the key of: %s", row->name);
            }
            expect_int(row->later == NULL, row->seen != NULL);
            if (row->seen && row->seen[0].file[0] == '$') {
                expect_fail("no fixture of our own: %s", row->name);
            }
        }
    }
}

/* --- what is read ----------------------------------------------------------------------------- */

/* A line of a file, or, of a file of cases, what is in its case of this driver; else null. */
static struct str case_of(struct str line, const char *driver, json_t **item)
{
    json_decref(*item);
    *item = json_loadb(line.ptr, line.len, 0, NULL);
    const json_t *text = json_object_get(*item, "line");
    const char *format = json_string_value(json_object_get(*item, "format"));
    text = text ? text : json_object_get(*item, "input");
    if (!text || (format && strcmp(format, driver) != 0)) {
        return (struct str){0};
    }
    return (struct str){json_string_value(text), json_string_length(text)};
}

static bool contains(struct str text, const char *part)
{
    return text.ptr && memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* Leaves the lines that are to be looked at. */
static void pick_lines(const struct sighting *seen, struct buf *text)
{
    struct buf picked;
    json_t *item = NULL;
    bool cases = str_ends(str_of(seen->file), STR("cases.jsonl"));
    buf_init(&picked, FIXTURE_MAX);
    for (struct str rest = buf_str(text); rest.ptr;) {
        struct str line = str_cut(&rest, '\n');
        line = cases ? case_of(line, seen->driver, &item) : line;
        if (contains(line, seen->pick)) {
            buf_add(&picked, line);
            buf_addc(&picked, '\n');
        }
    }
    json_decref(item);
    buf_release(text);
    *text = picked;
}

static void read_sample(uint64_t key, struct buf *out)
{
    json_t *list = read_list();
    json_t *entry = NULL;
    size_t index = 0;
    buf_init(out, FIXTURE_MAX);
    json_array_foreach(list, index, entry)
    {
        if (oddity_key(entry) == key) {
            buf_addz(out, json_string_value(json_object_get(entry, "sample")));
            buf_addc(out, '\n');
        }
    }
    json_decref(list);
}

static void read_seen(const struct oddity *row, const struct sighting *seen, struct buf *out)
{
    const struct str data = STR(ODD_DATA);
    if (strcmp(seen->file, ODD_SAMPLE) == 0) {
        read_sample(row->key, out);
    } else if (str_starts(str_of(seen->file), data)) {
        peer_file(seen->file + data.len, out);
    } else {
        char path[PEER_PATH_LEN];
        struct error err = {0};
        (void)snprintf(path, sizeof(path), "%s/oddities/%s", TEST_FIXTURES, seen->file);
        buf_init(out, FIXTURE_MAX);
        if (file_read(path, out, &err)) {
            expect_fail("%s", err.text);
        }
    }
    if (seen->pick) {
        pick_lines(seen, out);
    }
}

/* --- what is told ----------------------------------------------------------------------------- */

static void add_seconds(struct buf *out, int64_t us)
{
    buf_addf(out, "%lld", (long long)(us / SECOND_US));
    if (us % SECOND_US != 0) {
        char digits[16];
        (void)snprintf(digits, sizeof(digits), "%06lld", (long long)(us % SECOND_US));
        for (size_t len = strlen(digits); digits[len - 1] == '0'; len--) {
            digits[len - 1] = '\0';
        }
        buf_addf(out, ".%s", digits);
    }
}

static void add_flags(struct buf *out, int64_t flags)
{
    for (unsigned bit = 0; bit < RUN_FLAG_BITS; bit++) {
        if (flags >> bit & 1) {
            buf_addf(out, "%s%s", out->len > 0 ? "," : "", run_flag_name(bit));
        }
    }
}

static void say_field(struct buf *out, const struct any_record *record,
                      const struct field *field)
{
    const char *at = any_at(record, field);
    int64_t number = 0;
    struct str text = {0};
    if (field->type == FIELD_TEXT) {
        memcpy(&text, at, sizeof(text));
        buf_add(out, text);
        return;
    }
    memcpy(&number, at, sizeof(number));
    if (field == &run_fields[RUN_flags]) {
        add_flags(out, number);
    } else if (field->unit == UNIT_INSTANT || field->unit == UNIT_SECONDS) {
        add_seconds(out, number);
    } else {
        buf_addf(out, "%lld", (long long)number);
    }
}

static void expect_told(const struct sighting *seen, const struct owner_set *told,
                        const struct any_record *record)
{
    struct buf got;
    const struct field *field = any_find(record, told->id);
    if (!field) {
        expect_fail("there is no field %s", told->id);
    }
    bool has = any_has(record, field);
    buf_init(&got, FIXTURE_MAX);
    if (has) {
        say_field(&got, record, field);
    }
    if (has != (told->value != NULL) || (has && strcmp(buf_str(&got).ptr, told->value) != 0)) {
        char value[VALUE_LEN];
        (void)snprintf(value, sizeof(value), "%s", has ? buf_str(&got).ptr : "---");
        buf_release(&got);
        expect_fail("%s, record %d: %s is '%s', not '%s'", seen->file, told->record, told->id,
                    value, told->value ? told->value : "---");
    }
    buf_release(&got);
}

/* Looks at what was said of record `number`; `err` is why it was refused, or NULL. */
static int look_at_record(const struct sighting *seen, int number,
                          const struct any_record *record, const char *err)
{
    int looked = 0;
    for (const struct owner_set *told = seen->told; told && told->id; told++) {
        if (told->record != number) {
            continue;
        }
        bool refused = strcmp(told->id, "refused") == 0;
        if (refused != (err != NULL)) {
            expect_fail("%s, record %d: %s", seen->file, number, err ? err : "is not refused");
        }
        if (refused) {
            expect_contains(err, told->value);
        } else {
            expect_told(seen, told, record);
        }
        looked++;
    }
    return looked;
}

struct tally {
    int records, rejects, looked;
};

static struct tally read_records(const struct sighting *seen, void *format, struct str text,
                                 struct arena *arena)
{
    const struct source_driver *driver = source_find(str_of(seen->driver));
    struct source_cursor cursor = {.rest = text, .next_line = 1, .arena = arena};
    struct tally tally = {0};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct any_record record;
        struct error err = {0};
        step = any_next(driver, format, &cursor, &record, &err);
        if (step == SOURCE_RECORD) {
            tally.records++;
            if (any_check(&record, &err)) {
                expect_fail("%s, line %llu: %s", seen->file, (unsigned long long)cursor.line,
                            err.text);
            }
        }
        tally.rejects += step == SOURCE_REJECT;
        if (step == SOURCE_RECORD || step == SOURCE_REJECT) {
            tally.looked += look_at_record(seen, tally.records + tally.rejects, &record,
                                           step == SOURCE_REJECT ? err.text : NULL);
        }
        expect_true(tally.records + tally.rejects <= RECORDS_MAX);
    }
    return tally;
}

static int count_samples(const struct sighting *seen)
{
    int count = 0;
    for (const struct owner_set *told = seen->told; told && told->id; told++) {
        count++;
    }
    return count;
}

/* That test is one of its program's: it is added to the suite there. */
static void expect_tested(const struct sighting *seen)
{
    char path[PEER_PATH_LEN], one[VALUE_LEN], rows[VALUE_LEN];
    struct error err = {0};
    struct buf source;
    (void)snprintf(path, sizeof(path), "%s/%s", TEST_SOURCE_DIR, seen->file);
    (void)snprintf(one, sizeof(one), "SUITE_TEST(&suite, %s);", seen->pick);
    (void)snprintf(rows, sizeof(rows), "SUITE_ROWS(&suite, %s,", seen->pick);
    buf_init(&source, FIXTURE_MAX);
    int failed = file_read(path, &source, &err);
    bool there = contains(buf_str(&source), one) || contains(buf_str(&source), rows);
    buf_release(&source);
    if (failed || !there) {
        expect_fail("%s has no test %s: %s", seen->file, seen->pick, err.text);
    }
}

static void look_at(const struct oddity *row, const struct sighting *seen)
{
    const struct source_driver *driver = source_find(str_of(seen->driver));
    struct source_options options = {.columns = str_of(seen->columns ? seen->columns : "")};
    struct error err = {0};
    struct buf text;
    struct zone *zone = NULL;
    struct arena arena = {0};
    void *format = NULL;
    if (seen->zone && zone_open(seen->zone, &zone, &err)) {
        expect_fail("%s", err.text);
    }
    options.zone = zone;
    read_seen(row, seen, &text);
    if (driver->open && driver->open(buf_str(&text), &options, &format, &err)) {
        expect_fail("%s: %s", seen->file, err.text);
    }
    struct tally tally = read_records(seen, format, buf_str(&text), &arena);
    if (driver->close) {
        driver->close(format);
    }
    arena_release(&arena);
    buf_release(&text);
    zone_close(zone);
    if (tally.records != seen->records || tally.rejects != seen->rejects) {
        expect_fail("%s: %d records and %d refused, not %d and %d", seen->file, tally.records,
                    tally.rejects, seen->records, seen->rejects);
    }
    expect_int(tally.looked, count_samples(seen));
}

static void oddity(void **state)
{
    const struct oddity *row = *state;
    if (row->later) {
        print_message("# %s: has to wait for %s\n", row->name, row->later);
        skip();
    }
    for (const struct sighting *seen = row->seen; seen->file; seen++) {
        if (!seen->driver) {
            expect_tested(seen);
        } else if (seen->file[0] == '$' && !getenv("STINT_DATA")) {
            print_message("# %s: STINT_DATA is not set\n", seen->file);
        } else {
            look_at(row, seen);
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        suite_rows(&suite, "oddity", oddity, tables[t].rows, tables[t].count,
                   sizeof(struct oddity));
    }
    SUITE_TEST(&suite, every_row_has_a_key_and_a_fixture_of_its_own);
    SUITE_TEST(&suite, every_entry_of_the_list_has_its_row);
    return suite_run(&suite, "oddities");
}
