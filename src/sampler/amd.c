/* SPDX-License-Identifier: MIT */
#include "sampler/amd.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "sampler/counter.h"
#include "sampler/open_file.h"

enum { CARDS_MAX = 64, USES_MAX = 1024, KIB = 1024, MHZ = 1000000 };

#define CARD_PATTERN "sys/class/drm/card[0-9]*/device/vendor"
#define AMD_VENDOR   "0x1002"

/*
 * The driver of those that compute: which cards there are to it, by numbers of its own, and
 * what processes have of their memory.
 */
#define COMPUTE        "sys/class/kfd/kfd"
#define COMPUTE_CARDS  COMPUTE "/topology/nodes/*/properties"
#define COMPUTE_MEMORY COMPUTE "/proc/*/vram_%lld"

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
    struct node_sample *look;
    const char *root;
    struct buf path, text;
    size_t uses_room;
    bool uses_known; /* of all cards so far it is known which processes use them */
};

/* The first file that the pattern fits, into viewer->text. */
static bool read_first(struct viewer *viewer, const char *pattern)
{
    glob_t found = {0};
    bool good = false;
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
        struct open_file once = {0};
        good = open_file_read(&once, AT_FDCWD, found.gl_pathv[0], true, &viewer->text) == 0;
        open_file_close(&once);
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

/* --- processes ---------------------------------------------------------------------------- */

/*
 * The number at the end of the first file or folder that the pattern fits: 128 of renderD128;
 * below 0: none.
 */
static int64_t number_of_first(const char *pattern)
{
    glob_t found = {0};
    int64_t number = -1;
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
        const char *end = found.gl_pathv[0] + strlen(found.gl_pathv[0]), *digits = end;
        while (digits > found.gl_pathv[0] && digits[-1] >= '0' && digits[-1] <= '9') {
            digits--;
        }
        if (!look_count((struct str){digits, (size_t)(end - digits)}, &number)) {
            number = -1;
        }
    }
    globfree(&found);
    return number;
}

/*
 * What the driver of those that compute calls the card with this device for drawing; below 0:
 * it does not know it.
 */
static int64_t compute_number(struct viewer *viewer, int64_t minor)
{
    static const struct counter device = {
        .form = COUNTER_WORDS, .key = "drm_render_minor 1", .times = 1, .by = 1};
    glob_t found = {0};
    int64_t number = -1, own = 0;
    buf_clear(&viewer->path);
    buf_addf(&viewer->path, "%s/%s", viewer->root, COMPUTE_CARDS);
    if (glob(viewer->path.ptr, 0, NULL, &found) != 0) {
        found.gl_pathc = 0;
    }
    for (size_t i = 0; i < found.gl_pathc && number < 0; i++) {
        const struct str folder = {found.gl_pathv[i],
                                   strlen(found.gl_pathv[i]) - strlen("/properties")};
        if (read_first(viewer, found.gl_pathv[i]) &&
            counter_read(&device, buf_str(&viewer->text), &own) && own == minor &&
            read_below(viewer, folder, "gpu_id") &&
            !look_count(str_trim(buf_str(&viewer->text)), &number)) {
            number = -1;
        }
    }
    globfree(&found);
    return number;
}

/* ".../proc/701/vram_4711": the process. */
static bool process_of(const char *path, int64_t *pid)
{
    const char *slash = strrchr(path, '/');
    struct str folder = {path, slash ? (size_t)(slash - path) : 0};
    const char *before = folder.len > 0 ? memrchr(folder.ptr, '/', folder.len) : NULL;
    return before && look_count((struct str){before + 1, (size_t)(slash - before - 1)}, pid);
}

/*
 * A process that has memory of the card uses it. How busy it keeps it is known where it is
 * alone.
 */
static void add_uses(struct viewer *viewer, const struct gpu *card, int64_t number)
{
    struct gpu_list *list = &viewer->look->gpus;
    glob_t found = {0};
    const size_t first = list->use_count;
    buf_clear(&viewer->path);
    buf_addf(&viewer->path, "%s/" COMPUTE_MEMORY, viewer->root, (long long)number);
    if (glob(viewer->path.ptr, 0, NULL, &found) != 0) {
        found.gl_pathc = 0;
    }
    for (size_t i = 0; i < found.gl_pathc && list->use_count < viewer->uses_room; i++) {
        int64_t pid = 0, bytes = 0;
        if (process_of(found.gl_pathv[i], &pid) && read_first(viewer, found.gl_pathv[i]) &&
            look_count(str_trim(buf_str(&viewer->text)), &bytes) && bytes > 0) {
            struct gpu_use *use = &list->uses[list->use_count++];
            *use = (struct gpu_use){.uuid = card->uuid};
            look_set(&use->values, GPU_USE_index, card->values.at[GPU_index]);
            look_set(&use->values, GPU_USE_pid, pid);
            look_set(&use->values, GPU_USE_gpu_memory, bytes / KIB);
        }
    }
    globfree(&found);
    if (list->use_count == first + 1 && look_has(&card->values, GPU_ce_util)) {
        look_set(&list->uses[first].values, GPU_USE_gpu_util, card->values.at[GPU_ce_util]);
    }
}

static void look_at_processes(struct viewer *viewer, struct str folder, const struct gpu *card)
{
    buf_clear(&viewer->path);
    buf_add(&viewer->path, folder);
    buf_addz(&viewer->path, "/drm/renderD*");
    const int64_t minor = number_of_first(viewer->path.ptr);
    const int64_t number = minor >= 0 ? compute_number(viewer, minor) : -1;
    if (number > 0) {
        add_uses(viewer, card, number);
    } else {
        viewer->uses_known = false;
    }
}

/* --- cards -------------------------------------------------------------------------------- */

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
    look_at_processes(viewer, folder, card);
}

/* Room for cards and uses behind those that are known. */
static void make_card_room(struct viewer *viewer)
{
    struct gpu_list *list = &viewer->look->gpus;
    struct arena *arena = &viewer->look->arena;
    struct gpu *cards = arena_alloc(arena, (list->count + CARDS_MAX) * sizeof(*cards));
    viewer->uses_room = list->use_count + USES_MAX;
    struct gpu_use *uses = arena_alloc(arena, viewer->uses_room * sizeof(*uses));
    if (list->count > 0) {
        memcpy(cards, list->cards, list->count * sizeof(*cards));
    }
    if (list->use_count > 0) {
        memcpy(uses, list->uses, list->use_count * sizeof(*uses));
    }
    list->cards = cards;
    list->uses = uses;
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
        make_card_room(viewer);
        viewer->uses_known = known == 0 || list->uses_known;
        for (size_t i = 0; i < found.gl_pathc && list->count < known + CARDS_MAX; i++) {
            add_card(viewer, found.gl_pathv[i]);
        }
        list->uses_known = list->count > known ? viewer->uses_known : list->uses_known;
    }
    globfree(&found);
}

void amd_look(struct node_sample *look, const char *root)
{
    struct viewer viewer = {.look = look, .root = root};
    buf_init(&viewer.path, LIMIT_ARGUMENT);
    buf_init(&viewer.text, LIMIT_PROC_FILE);
    find_cards(&viewer);
    buf_release(&viewer.path);
    buf_release(&viewer.text);
}
