/* SPDX-License-Identifier: MIT */
#include "sampler/amd.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "sampler/counter.h"
#include "sampler/kept.h"

enum { CARDS_MAX = 64, KIB = 1024, MHZ = 1000000 };

#define CARD_PATTERN "sys/class/drm/card[0-9]*/device/vendor"
#define AMD_VENDOR   "0x1002"

/* A number below the folder of a card: of sonar's fields, or (GPU_FIELD_COUNT) of our own. */
static const struct {
    const char *file;
    enum gpu_field field;
    enum sample_field own;
    int64_t by, times;
} numbers[] = {
    {"gpu_busy_percent", GPU_ce_util, SAMPLE_FIELD_COUNT, 1, 1},
    {"mem_busy_percent", GPU_memory_util, SAMPLE_FIELD_COUNT, 1, 1},
    {"mem_info_vram_used", GPU_memory, SAMPLE_FIELD_COUNT, KIB, 1},
    {"mem_info_vram_total", GPU_FIELD_COUNT, SAMPLE_mem_total_bytes, 1, 1},
    {"hwmon/hwmon*/temp1_input", GPU_temperature, SAMPLE_FIELD_COUNT, 1000, 1},
    {"hwmon/hwmon*/power1_average", GPU_power, SAMPLE_power_mw, MHZ, 1000},
    {"hwmon/hwmon*/power1_input", GPU_power, SAMPLE_power_mw, MHZ, 1000},
    {"hwmon/hwmon*/power1_cap", GPU_power_limit, SAMPLE_FIELD_COUNT, MHZ, 1},
    {"hwmon/hwmon*/freq1_input", GPU_ce_clock, SAMPLE_FIELD_COUNT, MHZ, 1},
    {"hwmon/hwmon*/freq2_input", GPU_memory_clock, SAMPLE_FIELD_COUNT, MHZ, 1},
};

/* What a look at cards works with. */
struct viewer {
    struct look *look;
    const char *root;
    struct buf path, text;
};

/* The first file that the pattern fits, into viewer->text. */
static bool read_first(struct viewer *viewer, const char *pattern)
{
    glob_t found = {0};
    bool good = false;
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
        struct kept once = {0};
        good = kept_read(&once, AT_FDCWD, found.gl_pathv[0], true, &viewer->text) == 0;
        kept_close(&once);
    }
    globfree(&found);
    return good;
}

static bool read_below(struct viewer *viewer, struct str folder, const char *file)
{
    buf_clear(&viewer->path);
    buf_add(&viewer->path, folder);
    buf_addf(&viewer->path, "/%s", file);
    return read_first(viewer, viewer->path.ptr);
}

static void read_numbers(struct viewer *viewer, struct str folder, struct gpu *card)
{
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        int64_t value = 0;
        if (!read_below(viewer, folder, numbers[i].file) ||
            !look_count(str_trim(buf_str(&viewer->text)), &value)) {
            continue;
        }
        if (numbers[i].field < GPU_FIELD_COUNT) {
            look_set(&card->values, numbers[i].field, value / numbers[i].by);
        }
        if (numbers[i].own < SAMPLE_FIELD_COUNT) {
            sample_set_int(&card->counters, numbers[i].own,
                           value / (numbers[i].by / numbers[i].times));
        }
    }
}

static void add_card(struct viewer *viewer, const char *vendor_path)
{
    struct gpu_list *list = &viewer->look->gpus;
    const struct str folder = {vendor_path, strlen(vendor_path) - strlen("/vendor")};
    if (!read_first(viewer, vendor_path) ||
        !str_eq(str_trim(buf_str(&viewer->text)), STR(AMD_VENDOR))) {
        return;
    }
    struct gpu *card = &list->cards[list->count];
    look_set(&card->values, GPU_index, (int64_t)list->count++);
    look_set(&card->values, GPU_failing, 0);
    if (read_below(viewer, folder, "unique_id")) {
        const struct str id = str_trim(buf_str(&viewer->text));
        card->uuid = id.len > 0 ? arena_copy(&viewer->look->arena, id) : (struct str){0};
    }
    read_numbers(viewer, folder, card);
}

/* Names of cards, "card10" after "card9". */
static int by_length_and_name(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    const size_t x = strlen(a), y = strlen(b);
    return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

static void find_cards(struct viewer *viewer)
{
    struct gpu_list *list = &viewer->look->gpus;
    glob_t found = {0};
    buf_addf(&viewer->path, "%s/%s", viewer->root, CARD_PATTERN);
    if (glob(viewer->path.ptr, 0, NULL, &found) == 0) {
        qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), by_length_and_name);
        const size_t known = list->count;
        struct gpu *cards =
            arena_alloc(&viewer->look->arena, (known + CARDS_MAX) * sizeof(*cards));
        if (known > 0) {
            memcpy(cards, list->cards, known * sizeof(*cards));
        }
        list->cards = cards;
        for (size_t i = 0; i < found.gl_pathc && list->count < known + CARDS_MAX; i++) {
            add_card(viewer, found.gl_pathv[i]);
        }
    }
    globfree(&found);
}

void amd_look(struct look *look, const char *root)
{
    struct viewer viewer = {.look = look, .root = root};
    buf_init(&viewer.path, LIMIT_ARGUMENT);
    buf_init(&viewer.text, LIMIT_PROC_FILE);
    find_cards(&viewer);
    buf_release(&viewer.path);
    buf_release(&viewer.text);
}
