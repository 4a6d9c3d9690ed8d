/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_things.h"

#include "base/limit.h"
#include "base/scan.h"
#include "source/common/members.h"
#include "source/common/record_text.h"
#include "source/slurm/slurm_document.h"
#include "source/slurm/slurm_groups.h"
#include "source/slurm/slurm_json.h"

/*
 * Each kind of thing has two tables: where its fields are in JSON, and which key has them in
 * scontrol's lines. Of several places for a field the first that says something counts: names
 * changed between versions.
 */

enum how {
    AS_TEXT,
    AS_COUNT,
    AS_MIB,         /* 0 is "not said" */
    AS_MIB_OR_NONE, /* 0 means none */
    AS_INSTANT,     /* seconds, or a time in text */
    AS_STAMP,       /* the same; 0 is "not said" */
    AS_WALL,        /* minutes in JSON, a duration in text */
    AS_DEFAULT,     /* 1 if it is YES or a list that has "default" */
    AS_CPUS,        /* the cpus of a list of resources */
};

struct place {
    const char *where;
    int field;
    enum how how;
};

struct kind {
    const char *list;     /* in JSON */
    const char *sign;     /* a member that items of no other list of this name have */
    const char *old_sign; /* and in 21.08 and 22.05 */
    const char *nothing;  /* how scontrol says that there is none */
    struct place json[24], text[16];
};

static const struct kind
    kinds[INVENTORY_ITEM_KIND_COUNT] =
        {
            [INVENTORY_ITEM_NODE] =
                {
                    .list = "nodes",
                    .sign = "\"real_memory\"",
                    .old_sign = "\"slurmd_start_time\"",
                    .nothing = "No nodes in the system",
                    .json =
                        {
                            {"name", NODE_node, AS_TEXT},
                            {"effective_cpus", NODE_cpus, AS_COUNT},
                            {"cpus", NODE_cpus, AS_COUNT},
                            {"real_memory", NODE_mem_bytes, AS_MIB},
                            {"temporary_disk", NODE_disk_bytes, AS_MIB},
                            {"partitions", NODE_partitions, AS_TEXT},
                            {"features", NODE_features, AS_TEXT},
                            {"operating_system", NODE_os, AS_TEXT},
                            {"reason", NODE_reason, AS_TEXT},
                            {"reason_changed_at", NODE_reason_at, AS_STAMP},
                            {"alloc_cpus", NODE_cpus_alloc, AS_COUNT},
                            {"alloc_memory", NODE_mem_alloc_bytes, AS_MIB_OR_NONE},
                        },
                    .text =
                        {
                            {"NodeName", NODE_node, AS_TEXT},
                            {"CPUEfctv", NODE_cpus, AS_COUNT},
                            {"CPUTot", NODE_cpus, AS_COUNT},
                            {"RealMemory", NODE_mem_bytes, AS_MIB},
                            {"TmpDisk", NODE_disk_bytes, AS_MIB},
                            {"Partitions", NODE_partitions, AS_TEXT},
                            {"AvailableFeatures", NODE_features, AS_TEXT},
                            {"OS", NODE_os, AS_TEXT},
                            {"State", NODE_state, AS_TEXT},
                            {"CPUAlloc", NODE_cpus_alloc, AS_COUNT},
                            {"AllocMem", NODE_mem_alloc_bytes, AS_MIB_OR_NONE},
                        },
                },
            [INVENTORY_ITEM_PARTITION] =
                {
                    .list = "partitions",
                    .sign = "\"maximums\"",
                    .old_sign = "\"max_time_limit\"",
                    .nothing = "No partitions in the system",
                    .json =
                        {
                            {"name", PARTITION_partition, AS_TEXT},
                            {"partition.state", PARTITION_state, AS_TEXT},
                            {"state", PARTITION_state, AS_TEXT},
                            {"nodes.configured", PARTITION_nodes, AS_TEXT},
                            {"nodes", PARTITION_nodes, AS_TEXT},
                            {"nodes.total", PARTITION_node_count, AS_COUNT},
                            {"total_nodes", PARTITION_node_count, AS_COUNT},
                            {"cpus.total", PARTITION_cpus, AS_COUNT},
                            {"total_cpus", PARTITION_cpus, AS_COUNT},
                            {"maximums.time", PARTITION_max_wall_us, AS_WALL},
                            {"max_time_limit", PARTITION_max_wall_us, AS_WALL},
                            {"flags", PARTITION_is_default, AS_DEFAULT},
                            {"maximums.nodes", PARTITION_max_nodes, AS_COUNT},
                            {"max_nodes_per_job", PARTITION_max_nodes, AS_COUNT},
                            {"defaults.time", PARTITION_default_wall_us, AS_WALL},
                            {"default_time_limit", PARTITION_default_wall_us, AS_WALL},
                            {"defaults.partition_memory_per_cpu", PARTITION_def_mem_cpu_bytes,
                             AS_MIB},
                            {"default_memory_per_cpu", PARTITION_def_mem_cpu_bytes, AS_MIB},
                            {"defaults.partition_memory_per_node", PARTITION_def_mem_node_bytes,
                             AS_MIB},
                            {"default_memory_per_node", PARTITION_def_mem_node_bytes, AS_MIB},
                        },
                    .text =
                        {
                            {"PartitionName", PARTITION_partition, AS_TEXT},
                            {"State", PARTITION_state, AS_TEXT},
                            {"Nodes", PARTITION_nodes, AS_TEXT},
                            {"TotalNodes", PARTITION_node_count, AS_COUNT},
                            {"TotalCPUs", PARTITION_cpus, AS_COUNT},
                            {"MaxTime", PARTITION_max_wall_us, AS_WALL},
                            {"Default", PARTITION_is_default, AS_DEFAULT},
                            {"MaxNodes", PARTITION_max_nodes, AS_COUNT},
                            {"DefaultTime", PARTITION_default_wall_us, AS_WALL},
                            {"DefMemPerCPU", PARTITION_def_mem_cpu_bytes, AS_MIB},
                            {"DefMemPerNode", PARTITION_def_mem_node_bytes, AS_MIB},
                        },
                },
            [INVENTORY_ITEM_RESERVATION] =
                {
                    .list = "reservations",
                    .sign = "\"core_count\"",
                    .old_sign = "\"core_spec_cnt\"",
                    .nothing = "No reservations in the system",
                    .json =
                        {
                            {"name", RESERVATION_reservation, AS_TEXT},
                            {"start_time", RESERVATION_start, AS_INSTANT},
                            {"end_time", RESERVATION_end, AS_INSTANT},
                            {"node_list", RESERVATION_nodes, AS_TEXT},
                            {"node_count", RESERVATION_node_count, AS_COUNT},
                            {"tres", RESERVATION_cpus, AS_CPUS},
                            {"core_count", RESERVATION_cpus, AS_COUNT},
                            {"users", RESERVATION_users, AS_TEXT},
                            {"accounts", RESERVATION_accounts, AS_TEXT},
                            {"partition", RESERVATION_partition, AS_TEXT},
                            {"flags", RESERVATION_flags, AS_TEXT},
                        },
                    .text =
                        {
                            {"ReservationName", RESERVATION_reservation, AS_TEXT},
                            {"StartTime", RESERVATION_start, AS_INSTANT},
                            {"EndTime", RESERVATION_end, AS_INSTANT},
                            {"Nodes", RESERVATION_nodes, AS_TEXT},
                            {"NodeCnt", RESERVATION_node_count, AS_COUNT},
                            {"TRES", RESERVATION_cpus, AS_CPUS},
                            {"CoreCnt", RESERVATION_cpus, AS_COUNT},
                            {"Users", RESERVATION_users, AS_TEXT},
                            {"Accounts", RESERVATION_accounts, AS_TEXT},
                            {"PartitionName", RESERVATION_partition, AS_TEXT},
                            {"Flags", RESERVATION_flags, AS_TEXT},
                        },
                },
};

/* What is being read. */
struct reading {
    const struct kind *kind;
    enum inventory_item_kind which;
    const struct zone *zone;
    struct arena *arena;
    struct inventory_item_list *out;
};

/* What is at a place: a number (JSON only), a text, or both. */
struct found {
    bool has_number;
    int64_t number;
    struct str text;
};

/* --- values ------------------------------------------------------------------------------- */

static bool is_nothing(struct str text)
{
    return text.len == 0 || str_eq(text, STR("(null)")) || str_eq(text, STR("N/A")) ||
           str_eq(text, STR("UNLIMITED")) || str_eq(text, STR("NONE"));
}

static bool find_cpus(struct str list, int64_t *out)
{
    while (list.ptr) {
        struct str piece = str_cut(&list, ',');
        if (str_starts(piece, STR("cpu="))) {
            return scan_int((struct str){piece.ptr + 4, piece.len - 4}, out);
        }
    }
    return false;
}

static bool has_word(struct str list, struct str word)
{
    while (list.ptr) {
        if (str_eq_nocase(str_trim(str_cut(&list, ',')), word)) {
            return true;
        }
    }
    return false;
}

/* A number in our unit; false if there is none. */
static bool number_of(const struct reading *r, enum how how, const struct found *found,
                      int64_t *out)
{
    static const enum slurm_json_unit units[] = {
        [AS_COUNT] = SLURM_UNIT_SMALL,       [AS_MIB] = SLURM_UNIT_MIB,
        [AS_MIB_OR_NONE] = SLURM_UNIT_MIB,   [AS_STAMP] = SLURM_UNIT_INSTANT_S,
        [AS_INSTANT] = SLURM_UNIT_INSTANT_S, [AS_WALL] = SLURM_UNIT_MINUTE,
        [AS_TEXT] = SLURM_UNIT_AS_IS,        [AS_DEFAULT] = SLURM_UNIT_AS_IS,
        [AS_CPUS] = SLURM_UNIT_AS_IS,
    };
    struct str text = found->text;
    if (how == AS_CPUS) {
        return find_cpus(text, out) && *out >= 0;
    }
    if (how == AS_DEFAULT) {
        *out = has_word(text, STR("YES")) || has_word(text, STR("default"));
        return true;
    }
    if (!found->has_number && how == AS_INSTANT) {
        return slurm_value_time(r->zone, text, out);
    }
    if (!found->has_number && how == AS_WALL) {
        return scan_duration(text, out);
    }
    *out = found->number;
    return (found->has_number || scan_int(text, out)) && *out >= 0 &&
           slurm_json_scale(units[how], out) &&
           ((how != AS_MIB && how != AS_STAMP) || *out > 0);
}

static void put(const struct reading *r, const struct place *place, const struct found *found,
                struct inventory_item *thing)
{
    int64_t number = 0;
    if (thing->values[place->field].has ||
        (!found->has_number && is_nothing(found->text) && place->how != AS_DEFAULT)) {
        return;
    }
    if (place->how == AS_TEXT) {
        if (found->text.len > 0) {
            INVENTORY_ITEM_SET_TEXT(thing, place->field, found->text);
        }
    } else if (number_of(r, place->how, found, &number)) {
        INVENTORY_ITEM_SET_INT(thing, place->field, number);
    }
}

/* --- what takes more than one place ------------------------------------------------------- */

/* "gpu:a100:4(S:0-1),shard:8": an empty list is of a node without any. */
void slurm_things_put_gpus(struct str gres, struct arena *arena, struct inventory_item *thing)
{
    struct slurm_row row;
    slurm_row_clear(&row);
    if (is_nothing(gres)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_gpus, 0);
        return;
    }
    if (!slurm_tres_gres(gres, SLURM_GRES_GPUS, arena, &row)) {
        return;
    }
    INVENTORY_ITEM_SET_INT(
        thing, NODE_gpus, slurm_knows(&row, SLURM_GRES_GPUS) ? row.number[SLURM_GRES_GPUS] : 0);
    if (slurm_has(&row, SLURM_GPU_TYPE)) {
        INVENTORY_ITEM_SET_TEXT(thing, NODE_gpu_type, row.text[SLURM_GPU_TYPE]);
    }
}

/*
 * "gpu:a100:2(IDX:0-1)": those in use. An entry that says none, "gpu:0", is of a node that has
 * some.
 */
static void put_gpus_used(struct str gres, struct arena *arena, struct inventory_item *thing)
{
    struct slurm_row row;
    slurm_row_clear(&row);
    if (!is_nothing(gres) && slurm_tres_gres(gres, SLURM_GRES_GPUS, arena, &row) &&
        slurm_knows(&row, SLURM_GRES_GPUS)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_gpus_alloc, row.number[SLURM_GRES_GPUS]);
    }
}

/*
 * "cpu=4,mem=8G,gres/gpu=2". It has GPUs only where the accounting is set to count them: then
 * those there are count.
 */
static void put_gpus_allocated(struct str there, struct str allocated, struct arena *arena,
                               struct inventory_item *thing)
{
    struct slurm_row row;
    slurm_row_clear(&row);
    if (!there.ptr || !memmem(there.ptr, there.len, "gres/gpu", 8)) {
        return;
    }
    if (is_nothing(allocated)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_gpus_alloc, 0);
    } else if (slurm_tres_text(allocated, SLURM_LIST_ALLOC, arena, &row) &&
               slurm_knows(&row, SLURM_ALLOC_GPUS)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_gpus_alloc, row.number[SLURM_ALLOC_GPUS]);
    }
}

void slurm_things_put_cores(int64_t sockets, int64_t cores, struct inventory_item *thing)
{
    int64_t all = 0;
    if (sockets > 0 && cores > 0 && !__builtin_mul_overflow(sockets, cores, &all)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_cores, all);
    }
}

/*
 * The class; and of a node without GPUs nothing is said of those allocated, as some versions
 * do.
 */
static void put_class(struct inventory_item *thing)
{
    if (thing->values[NODE_gpus].has && thing->values[NODE_gpus].integer == 0) {
        thing->values[NODE_gpus_alloc].has = false;
    }
    if (thing->values[NODE_state].has) {
        INVENTORY_ITEM_SET_TEXT(
            thing, NODE_class,
            node_class_name(slurm_node_class(thing->values[NODE_state].text)));
    }
}

/* How much of a name is shown where it is odd. */
enum { NAME_SHOWN = 64 };

/*
 * One text that nobody could store keeps neither the rest of its thing nor the other things
 * out.
 */
static void leave_out_long(const struct reading *r, struct inventory_item *thing)
{
    const struct inventory_item_description *about = &inventory_item_kinds[r->which];
    for (size_t i = about->field_count; i-- > 0;) {
        struct inventory_item_value *value = &thing->values[i];
        if (!value->has || about->fields[i].type != FIELD_TEXT ||
            value->text.len <= LIMIT_TEXT_FIELD) {
            continue;
        }
        const struct str name = thing->values[0].text;
        value->has = false;
        if (!r->out->odd.text[0]) {
            error_set(&r->out->odd, ERROR_LIMIT,
                      "%s '%.*s' has a %s of more than %d KiB, which is not recorded",
                      about->name, name.len < NAME_SHOWN ? (int)name.len : NAME_SHOWN, name.ptr,
                      about->fields[i].id, LIMIT_TEXT_FIELD >> 10);
        }
    }
}

/* Adds what was read to the list, less what is too long. */
static int add(const struct reading *r, struct inventory_item *thing, struct error *err)
{
    const struct inventory_item_description *about = &inventory_item_kinds[r->which];
    if (!thing->values[0].has) {
        return error_set(err, ERROR_INPUT, "the answer has a %s without a name", about->name);
    }
    leave_out_long(r, thing);
    if (thing->values[0].has) {
        *inventory_item_list_add(r->out) = *thing;
    }
    return 0;
}

/* --- JSON --------------------------------------------------------------------------------- */

static struct str upper(struct str text, struct arena *arena)
{
    char *copy = arena_text(arena, text);
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = copy[i] >= 'a' && copy[i] <= 'z' ? (char)(copy[i] - 'a' + 'A') : copy[i];
    }
    return (struct str){copy, text.len};
}

/*
 * "idle" beside ["DRAIN"] in 21.08 and 22.05, later ["IDLE", "DRAIN"]: written as scontrol
 * does.
 */
static void put_json_node(const struct reading *r, const json_t *object,
                          struct inventory_item *thing)
{
    struct str state = {0}, flags = {0}, gres = {0}, used = {0}, who = {0};
    int64_t sockets = 0, cores = 0;
    if (slurm_json_text(json_object_get(object, "state"), '+', r->arena, &state)) {
        if (slurm_json_text(json_object_get(object, "state_flags"), '+', r->arena, &flags)) {
            state = str_of(arena_printf(r->arena, "%.*s+%.*s", STR_ARG(state), STR_ARG(flags)));
        }
        INVENTORY_ITEM_SET_TEXT(thing, NODE_state, upper(state, r->arena));
    }
    if (slurm_json_text(json_object_get(object, "gres"), ',', r->arena, &gres) ||
        json_object_get(object, "gres")) {
        slurm_things_put_gpus(gres, r->arena, thing);
    }
    if (slurm_json_text(json_object_get(object, "gres_used"), ',', r->arena, &used)) {
        put_gpus_used(used, r->arena, thing);
    }
    if (slurm_json_number_at(object, "sockets", &sockets) &&
        slurm_json_number_at(object, "cores", &cores)) {
        slurm_things_put_cores(sockets, cores, thing);
    }
    if (thing->values[NODE_reason].has &&
        slurm_json_text(json_object_get(object, "reason_set_by_user"), ',', r->arena, &who)) {
        INVENTORY_ITEM_SET_TEXT(thing, NODE_reason_by, who);
    }
}

/* Without weights it bills a unit for each cpu: an empty text says so, and is not nothing. */
static void put_json_partition(const struct reading *r, const json_t *object,
                               struct inventory_item *thing)
{
    struct str weights = {0};
    const json_t *value = slurm_json_find(object, "tres.billing_weights");
    value = value ? value : json_object_get(object, "billing_weights");
    if (json_is_string(value)) {
        (void)slurm_json_text(value, ',', r->arena, &weights);
        INVENTORY_ITEM_SET_TEXT(thing, PARTITION_billing_weights,
                                weights.ptr ? weights : STR(""));
    }
}

static int read_object(const struct reading *r, struct str text, struct error *err)
{
    json_error_t where;
    struct inventory_item thing = {0};
    json_t *object = json_loadb(text.ptr, text.len, 0, &where);
    if (!object) {
        return error_set(err, ERROR_INPUT, "the answer is not JSON: %s", where.text);
    }
    for (const struct place *place = r->kind->json; place->where; place++) {
        const json_t *value = slurm_json_find(object, place->where);
        struct found found = {0};
        found.has_number = slurm_json_number(value, &found.number);
        if (value && (slurm_json_text(value, ',', r->arena, &found.text) || found.has_number ||
                      json_is_array(value))) {
            put(r, place, &found, &thing);
        }
    }
    if (r->which == INVENTORY_ITEM_NODE) {
        put_json_node(r, object, &thing);
        put_class(&thing);
    } else if (r->which == INVENTORY_ITEM_PARTITION) {
        put_json_partition(r, object, &thing);
    }
    json_decref(object);
    return add(r, &thing, err);
}

/* A row of sinfo's: the nodes of a group, one by one, with what they have in common. */
static int read_group(const struct reading *r, struct str text, struct error *err)
{
    struct inventory_item_list nodes = {0};
    int failed = slurm_group_read(text, r->arena, &nodes, err);
    for (size_t i = 0; !failed && i < nodes.count; i++) {
        put_class(&nodes.rows[i]);
        failed = add(r, &nodes.rows[i], err);
    }
    inventory_item_list_release(&nodes);
    return failed;
}

struct top {
    const char *wanted;
    struct str list;
};

static void note_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    struct top *top = context;
    if (kind == MEMBER_NESTED && str_eq(name, str_of(top->wanted))) {
        top->list = text;
    }
}

static struct str skip_to_object(struct str rest)
{
    while (rest.len > 0 && rest.ptr[0] != '{') {
        rest.ptr++;
        rest.len--;
    }
    return rest;
}

static bool has_list(struct str text, const char *list)
{
    struct slurm_document document = {.list = list};
    slurm_document_feed(&document, text);
    return document.list_found;
}

static int read_json(const struct reading *r, struct str answer, struct error *err)
{
    const bool grouped = r->which == INVENTORY_ITEM_NODE && has_list(answer, SLURM_GROUPS);
    struct slurm_document document = {.list = grouped ? SLURM_GROUPS : r->kind->list};
    slurm_document_feed(&document, answer);
    int failed = slurm_document_end(&document, err);
    if (failed) {
        return failed;
    }
    struct top top = {.wanted = document.list};
    struct arena names = {0};
    bool whole = members_read(str_trim(answer), &names, note_member, &top);
    arena_release(&names);
    if (!whole) {
        return error_set(err, ERROR_INPUT, "the answer is not JSON");
    }
    struct str rest = skip_to_object(top.list);
    while (!failed && rest.len > 0) {
        size_t length = members_length(rest);
        if (length == 0) {
            return error_set(err, ERROR_INPUT, "the answer ends in the middle");
        }
        failed = (grouped ? read_group : read_object)(r, (struct str){rest.ptr, length}, err);
        rest = skip_to_object((struct str){rest.ptr + length, rest.len - length});
    }
    return !failed && grouped ? slurm_groups_merge(r->out, r->arena, err) : failed;
}

/* --- scontrol's lines --------------------------------------------------------------------- */

static bool is_key_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           byte == '/' || byte == ':';
}

/* Whether "Key=" begins at `at`. Values may have blanks and = in them (OS, Reason). */
static bool begins_key(struct str line, size_t at)
{
    size_t end = at;
    if (at == line.len || line.ptr[at] < 'A' || line.ptr[at] > 'Z') {
        return false;
    }
    while (end < line.len && is_key_byte(line.ptr[end])) {
        end++;
    }
    return end < line.len && line.ptr[end] == '=';
}

/* The value of a key, its first; the null string if it is not there. */
static struct str value_of(struct str line, const char *key)
{
    size_t len = strlen(key);
    for (size_t at = 0; at + len < line.len; at++) {
        if ((at > 0 && line.ptr[at - 1] != ' ') || memcmp(line.ptr + at, key, len) != 0 ||
            line.ptr[at + len] != '=') {
            continue;
        }
        size_t from = at + len + 1;
        size_t end = from;
        while (end < line.len && !(line.ptr[end] == ' ' && begins_key(line, end + 1))) {
            end++;
        }
        return str_trim((struct str){line.ptr + from, end - from});
    }
    return (struct str){0};
}

/*
 * "Reason=Not responding [slurm@2025-03-01T12:00:00]": anything may be in it, so the last
 * bracket counts.
 */
static void put_reason(const struct reading *r, struct str line, struct inventory_item *thing)
{
    int64_t stamp = 0;
    static const char key[] = " Reason=";
    const char *at = memmem(line.ptr, line.len, key, sizeof(key) - 1);
    if (!at) {
        return;
    }
    const char *from = at + sizeof(key) - 1;
    struct str rest = {from, line.len - (size_t)(from - line.ptr)};
    const char *close = memrchr(rest.ptr, ']', rest.len);
    const char *open = close ? memrchr(rest.ptr, '[', (size_t)(close - rest.ptr)) : NULL;
    const char *sign = open ? memchr(open, '@', (size_t)(close - open)) : NULL;
    if (sign && sign > open + 1) {
        INVENTORY_ITEM_SET_TEXT(thing, NODE_reason_by,
                                ((struct str){open + 1, (size_t)(sign - open) - 1}));
        if (slurm_value_time(r->zone, (struct str){sign + 1, (size_t)(close - sign) - 1},
                             &stamp) &&
            stamp > 0) {
            INVENTORY_ITEM_SET_INT(thing, NODE_reason_at, stamp);
        }
        rest.len = (size_t)(open - rest.ptr);
    }
    rest = str_trim(rest);
    if (!is_nothing(rest)) {
        INVENTORY_ITEM_SET_TEXT(thing, NODE_reason, rest);
    }
}

static void put_text_node(const struct reading *r, struct str line,
                          struct inventory_item *thing)
{
    int64_t sockets = 0, cores = 0;
    struct str gres = value_of(line, "Gres");
    if (gres.ptr) {
        slurm_things_put_gpus(gres, r->arena, thing);
    }
    if (scan_int(value_of(line, "Sockets"), &sockets) &&
        scan_int(value_of(line, "CoresPerSocket"), &cores)) {
        slurm_things_put_cores(sockets, cores, thing);
    }
    put_gpus_used(value_of(line, "GresUsed"), r->arena, thing);
    if (!thing->values[NODE_gpus_alloc].has) {
        put_gpus_allocated(value_of(line, "CfgTRES"), value_of(line, "AllocTRES"), r->arena,
                           thing);
    }
    put_reason(r, line, thing);
    put_class(thing);
}

/* As put_json_partition. */
static void put_text_partition(struct str line, struct inventory_item *thing)
{
    const struct str weights = value_of(line, "TRESBillingWeights");
    INVENTORY_ITEM_SET_TEXT(thing, PARTITION_billing_weights,
                            is_nothing(weights) ? STR("") : weights);
    INVENTORY_ITEM_SET_INT(thing, PARTITION_whole_nodes,
                           str_starts(value_of(line, "OverSubscribe"), STR("EXCLUSIVE")));
}

static int read_record(const struct reading *r, struct str line, struct error *err)
{
    struct inventory_item thing = {0};
    for (const struct place *place = r->kind->text; place->where; place++) {
        struct found found = {.text = value_of(line, place->where)};
        if (found.text.ptr) {
            put(r, place, &found, &thing);
        }
    }
    if (r->which == INVENTORY_ITEM_NODE) {
        put_text_node(r, line, &thing);
    } else if (r->which == INVENTORY_ITEM_PARTITION) {
        put_text_partition(line, &thing);
    }
    return add(r, &thing, err);
}

/*
 * Takes the lines of a thing off the answer, up to the next that begins with its name: as one
 * line, which is what they are with -o. Texts may have line feeds in them even then.
 */
static struct str take_record(struct str *rest, const char *name, struct arena *arena)
{
    const struct str all = *rest;
    while (rest->len > 0) {
        const char *feed = str_byte(*rest, '\n');
        const size_t length = feed ? (size_t)(feed - rest->ptr) + 1 : rest->len;
        *rest = (struct str){rest->ptr + length, rest->len - length};
        if (str_starts(*rest, str_of(name)) && begins_key(*rest, 0)) {
            break;
        }
    }
    const size_t length = all.len - rest->len;
    char *record = arena_text(arena, (struct str){all.ptr, length});
    for (size_t i = 0; i < length; i++) {
        record[i] = record[i] == '\n' ? ' ' : record[i];
    }
    return str_trim((struct str){record, length});
}

static int read_text(const struct reading *r, struct str answer, struct error *err)
{
    const char *name = r->kind->text[0].where;
    bool any = false;
    if (str_starts(str_trim(answer), str_of(r->kind->nothing))) {
        return 0;
    }
    if (answer.len == 0 || answer.ptr[answer.len - 1] != '\n') {
        return error_set(err, ERROR_INPUT, "the answer %s",
                         answer.len == 0 ? "is empty" : "ends in the middle of a line");
    }
    while (answer.len > 0) {
        struct str record = take_record(&answer, name, r->arena);
        bool begins = str_starts(record, str_of(name)) && begins_key(record, 0);
        if (!begins && str_trim(record).len == 0) {
            continue;
        }
        int failed =
            begins ? read_record(r, record, err)
                   : error_set(err, ERROR_INPUT, "the answer has a line without %s=: '%.*s'",
                               name, (int)(record.len < 60 ? record.len : 60), record.ptr);
        if (failed) {
            return failed;
        }
        any = true;
    }
    return any ? 0 : error_set(err, ERROR_INPUT, "the answer is empty");
}

/* --- files -------------------------------------------------------------------------------- */

static bool contains(struct str text, const char *what)
{
    return what && memmem(text.ptr, text.len, what, strlen(what)) != NULL;
}

/* A list of items of the kind; or an empty one, in a document that says it is Slurm's. */
static bool is_json_of(struct str head, enum inventory_item_kind kind)
{
    if (kind == INVENTORY_ITEM_NODE && has_list(head, SLURM_GROUPS)) {
        return contains(head, "\"partition\"") || contains(head, "\"slurm\"");
    }
    struct slurm_document document = {.list = kinds[kind].list};
    slurm_document_feed(&document, head);
    return document.list_found &&
           (document.has_items
                ? contains(head, kinds[kind].sign) || contains(head, kinds[kind].old_sign)
                : contains(head, "\"Slurm\"") || contains(head, "\"slurm\""));
}

static bool slurm_things_recognise(struct str head, enum inventory_item_kind *kind)
{
    const struct str trimmed = str_trim(head);
    const bool json = trimmed.len > 0 && trimmed.ptr[0] == '{';
    for (int i = 0; i < INVENTORY_ITEM_KIND_COUNT; i++) {
        const struct str name = str_of(kinds[i].text[0].where);
        *kind = (enum inventory_item_kind)i;
        if (json ? is_json_of(trimmed, *kind)
                 : (str_starts(trimmed, name) && begins_key(trimmed, 0)) ||
                       str_starts(trimmed, str_of(kinds[i].nothing))) {
            return true;
        }
    }
    return false;
}

const struct source_things slurm_things = {slurm_things_recognise, slurm_things_read};

int slurm_things_read(enum inventory_item_kind kind, struct str answer, const struct zone *zone,
                      struct arena *arena, struct inventory_item_list *out, struct error *err)
{
    struct reading r = {
        .kind = &kinds[kind], .which = kind, .zone = zone, .arena = arena, .out = out};
    bool recoded = false;
    struct str text = arena_copy(arena, source_utf8(answer, arena, &recoded));
    struct str trimmed = str_trim(text);
    return trimmed.len > 0 && trimmed.ptr[0] == '{' ? read_json(&r, trimmed, err)
                                                    : read_text(&r, text, err);
}
