/* SPDX-License-Identifier: MIT */
#include "sampler/gpu.h"

#include "base/limit.h"
#include "base/scan.h"

enum { KIB_PER_MIB = 1024, COLUMNS_MAX = 32, PERFORMANCE_BASE = 2 };

const struct look_field gpu_fields[GPU_FIELD_COUNT] = {GPU_FIELDS(LOOK_FIELD_ROW)};
const struct look_field gpu_use_fields[GPU_USE_FIELD_COUNT] = {GPU_USE_FIELDS(LOOK_FIELD_ROW)};

/* --- columns ------------------------------------------------------------------------------ */

enum column_way {
    COLUMN_COUNT,  /* a number, not negative, times `times` */
    COLUMN_SIGNED, /* a number */
    COLUMN_STATE,  /* P8 */
    COLUMN_UUID,
    COLUMN_MODE,
};

/* What is asked for, and where it goes. */
struct column {
    const char *query;
    const char *heading; /* where it is not the query; or NULL */
    /* after the number, or, where units are left out, in the heading; or NULL */
    const char *unit;
    enum column_way way;
    unsigned field;
    int64_t times;
};

static const struct column card_columns[] = {
    {"index", NULL, NULL, COLUMN_COUNT, GPU_index, 1},
    {"uuid", NULL, NULL, COLUMN_UUID, 0, 0},
    {"fan.speed", NULL, "%", COLUMN_COUNT, GPU_fan, 1},
    {"compute_mode", NULL, NULL, COLUMN_MODE, 0, 0},
    {"pstate", NULL, NULL, COLUMN_STATE, GPU_performance_state, 1},
    {"memory.used", NULL, "MiB", COLUMN_COUNT, GPU_memory, KIB_PER_MIB},
    {"utilization.gpu", NULL, "%", COLUMN_COUNT, GPU_ce_util, 1},
    {"utilization.memory", NULL, "%", COLUMN_COUNT, GPU_memory_util, 1},
    {"temperature.gpu", NULL, NULL, COLUMN_SIGNED, GPU_temperature, 1},
    {"power.draw", NULL, "W", COLUMN_COUNT, GPU_power, 1},
    {"power.limit", NULL, "W", COLUMN_COUNT, GPU_power_limit, 1},
    {"clocks.sm", "clocks.current.sm", "MHz", COLUMN_COUNT, GPU_ce_clock, 1},
    {"clocks.mem", "clocks.current.memory", "MHz", COLUMN_COUNT, GPU_memory_clock, 1},
};

static const struct column use_columns[] = {
    {"gpu_uuid", NULL, NULL, COLUMN_UUID, 0, 0},
    {"pid", NULL, NULL, COLUMN_COUNT, GPU_USE_pid, 1},
    {"used_memory", "used_gpu_memory", "MiB", COLUMN_COUNT, GPU_USE_gpu_memory, KIB_PER_MIB},
};

static void add_query(struct buf *out, const char *option, const struct column *columns,
                      size_t count)
{
    buf_addz(out, option);
    for (size_t i = 0; i < count; i++) {
        buf_addf(out, "%s%s", i ? "," : "=", columns[i].query);
    }
}

void gpu_card_query(struct buf *out)
{
    add_query(out, "--query-gpu", card_columns, COUNT_OF(card_columns));
}

void gpu_use_query(struct buf *out)
{
    add_query(out, "--query-compute-apps", use_columns, COUNT_OF(use_columns));
}

/* --- a table as it is printed ------------------------------------------------------------- */

/* The columns in the order of the first row; NULL: one we know nothing of. */
struct table {
    const struct column *columns[COLUMNS_MAX];
    size_t count;
    struct str rest; /* the rows that are left */
};

/* "memory.used [MiB]": the name before the blank. */
static const struct column *find_column(struct str heading, const struct column *columns,
                                        size_t count)
{
    struct str name = str_cut(&heading, ' ');
    for (size_t i = 0; i < count; i++) {
        if (str_eq(name, str_of(columns[i].query)) ||
            (columns[i].heading && str_eq(name, str_of(columns[i].heading)))) {
            return &columns[i];
        }
    }
    return NULL;
}

static int open_table(struct table *table, struct str text, const struct column *columns,
                      size_t count, struct error *err)
{
    *table = (struct table){.rest = text};
    struct str head = str_cut(&table->rest, '\n');
    size_t known = 0;
    while (head.ptr && table->count < COLUMNS_MAX) {
        struct str heading = str_trim(str_cut(&head, ','));
        table->columns[table->count] = find_column(heading, columns, count);
        known += table->columns[table->count++] != NULL;
    }
    return known < count ? error_set(err, ERROR_INPUT,
                                     "cannot make sense of what nvidia-smi printed: %zu of the "
                                     "%zu columns that were asked for are there",
                                     known, count)
                         : 0;
}

/* The next row that is not empty; false at the end. */
static bool next_row(struct table *table, struct str *row)
{
    while (table->rest.ptr) {
        *row = str_trim(str_cut(&table->rest, '\n'));
        if (row->len > 0) {
            return true;
        }
    }
    return false;
}

/* --- values ------------------------------------------------------------------------------- */

/*
 * "[N/A]", "N/A", "-", "": in place of a text. Numbers need no list: what is not a number is
 * absent.
 */
static bool is_not_recorded(struct str text)
{
    return text.len == 0 || text.ptr[0] == '[' || str_eq(text, STR("N/A")) ||
           str_eq(text, STR("-"));
}

static bool is_failure(struct str text)
{
    static const char *const words[] = {"[GPU is lost]", "[GPU requires reset]", "ERR!"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq_nocase(text, str_of(words[i]))) {
            return true;
        }
    }
    return false;
}

/* "42 MiB" or "42": another unit than ours is not ours to guess. */
static bool read_amount(const struct column *column, struct str text, int64_t *out)
{
    struct str number = str_cut(&text, ' ');
    int64_t value = 0;
    if (text.ptr && !(column->unit && str_eq(str_trim(text), str_of(column->unit)))) {
        return false;
    }
    if (!scan_decimal(number, 0, &value) || value >= LOOK_COUNT_MAX / KIB_PER_MIB ||
        value <= -LOOK_COUNT_MAX / KIB_PER_MIB || (value < 0 && column->way != COLUMN_SIGNED)) {
        return false;
    }
    *out = value * column->times;
    return true;
}

static void set_number(struct look_values *values, const struct column *column, struct str text)
{
    int64_t value = 0;
    if (column->way == COLUMN_STATE) {
        if (str_take(&text, 'P') && look_count(text, &value)) {
            look_set(values, column->field, value + PERFORMANCE_BASE);
        }
    } else if (read_amount(column, text, &value)) {
        look_set(values, column->field, value);
    }
}

/* One row into its values and texts; says whether the card spoke of a failure. */
static bool read_row(const struct table *table, struct str row, struct look_values *values,
                     struct str *uuid, struct str *mode)
{
    bool failing = false;
    for (size_t i = 0; i < table->count && row.ptr; i++) {
        struct str text = str_trim(str_cut(&row, ','));
        const struct column *column = table->columns[i];
        failing |= is_failure(text);
        if (!column) {
            continue;
        }
        if (column->way == COLUMN_UUID) {
            *uuid = is_not_recorded(text) ? (struct str){0} : text;
        } else if (column->way == COLUMN_MODE) {
            *mode = is_not_recorded(text) ? (struct str){0} : text;
        } else {
            set_number(values, column, text);
        }
    }
    return failing;
}

static size_t count_rows(struct str text)
{
    size_t count = 0;
    for (struct str rest = text; rest.ptr; count++) {
        (void)str_cut(&rest, '\n');
    }
    return count;
}

static int refuse_gpu_row(const char *what, struct str row, struct error *err)
{
    return error_set(err, ERROR_INPUT, "nvidia-smi printed a row that names no %s: '%.*s'",
                     what, (int)(row.len < 200 ? row.len : 200), row.ptr);
}

/* Whether a card says more of itself than its number: one that is lost does not. */
static bool answers(const struct look_values *values)
{
    return (values->has & ~(UINT32_C(1) << GPU_index)) != 0;
}

int gpu_read_cards(struct gpu_list *list, struct str text, struct arena *arena,
                   struct error *err)
{
    struct table table;
    struct str row;
    text = arena_copy(arena, text);
    int failed = open_table(&table, text, card_columns, COUNT_OF(card_columns), err);
    if (failed) {
        return failed;
    }
    list->cards = arena_alloc(arena, count_rows(text) * sizeof(*list->cards));
    while (next_row(&table, &row)) {
        struct gpu card = {0};
        const bool failing =
            read_row(&table, row, &card.values, &card.uuid, &card.compute_mode);
        if (failing || answers(&card.values)) {
            look_set(&card.values, GPU_failing, failing);
        }
        if (list->count == LIMIT_GPUS) {
            return error_set(err, ERROR_LIMIT, "nvidia-smi lists more than %d GPUs",
                             LIMIT_GPUS);
        }
        if (card.uuid.ptr || look_has(&card.values, GPU_index)) {
            list->cards[list->count++] = card;
        } else {
            failed = refuse_gpu_row("card", row, err);
        }
    }
    return failed;
}

/* The number of the card with this name. */
static void set_index(struct gpu_use *use, const struct gpu_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct gpu *card = &list->cards[i];
        if (card->uuid.ptr && str_eq(card->uuid, use->uuid) &&
            look_has(&card->values, GPU_index)) {
            look_set(&use->values, GPU_USE_index, card->values.at[GPU_index]);
        }
    }
}

int gpu_read_uses(struct gpu_list *list, struct str text, struct arena *arena,
                  struct error *err)
{
    struct table table;
    struct str row;
    text = arena_copy(arena, text);
    int failed = open_table(&table, text, use_columns, COUNT_OF(use_columns), err);
    if (failed) {
        return failed;
    }
    list->uses = arena_alloc(arena, count_rows(text) * sizeof(*list->uses));
    while (next_row(&table, &row)) {
        struct gpu_use use = {0};
        struct str mode = {0};
        (void)read_row(&table, row, &use.values, &use.uuid, &mode);
        if (look_has(&use.values, GPU_USE_pid) && use.uuid.ptr) {
            set_index(&use, list);
            list->uses[list->use_count++] = use;
        } else {
            failed = refuse_gpu_row("process", row, err);
        }
    }
    list->uses_known = !failed;
    return failed;
}

/* --- pmon --------------------------------------------------------------------------------- */

/* Which words of a row are meant; -1: not there. */
struct pmon_columns {
    int gpu, pid, sm;
};

static struct pmon_columns read_pmon_head(struct str line)
{
    struct pmon_columns columns = {-1, -1, -1};
    struct str word;
    for (int i = 0; (word = look_word(&line)).ptr; i++) {
        columns.gpu = str_eq(word, STR("gpu")) ? i : columns.gpu;
        columns.pid = str_eq(word, STR("pid")) ? i : columns.pid;
        columns.sm = str_eq(word, STR("sm")) ? i : columns.sm;
    }
    return columns;
}

static void set_busy(struct gpu_list *list, int64_t index, int64_t pid, int64_t busy)
{
    for (size_t i = 0; i < list->use_count; i++) {
        struct look_values *values = &list->uses[i].values;
        if (look_has(values, GPU_USE_index) && values->at[GPU_USE_index] == index &&
            values->at[GPU_USE_pid] == pid) {
            look_set(values, GPU_USE_gpu_util, busy);
        }
    }
}

static void read_pmon_row(struct gpu_list *list, struct str line, struct pmon_columns columns)
{
    struct str word;
    int64_t index = 0, pid = 0, busy = 0;
    int known = 0;
    for (int i = 0; (word = look_word(&line)).ptr; i++) {
        known += i == columns.gpu && look_count(word, &index);
        known += i == columns.pid && look_count(word, &pid);
        known += i == columns.sm && look_count(word, &busy);
    }
    if (known == 3) {
        set_busy(list, index, pid, busy);
    }
}

int gpu_read_pmon(struct gpu_list *list, struct str text, struct error *err)
{
    struct pmon_columns columns = {-1, -1, -1};
    for (struct str rest = text; rest.ptr;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (!str_take(&line, '#')) {
            read_pmon_row(list, line, columns);
        } else if (columns.gpu < 0) { /* the second line of the head has the units */
            columns = read_pmon_head(line);
        }
    }
    return columns.gpu < 0 || columns.pid < 0 || columns.sm < 0
               ? error_set(
                     err, ERROR_INPUT,
                     "cannot make sense of what nvidia-smi pmon printed: it has no columns "
                     "gpu, pid and sm")
               : 0;
}
