/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/file.h"
#include "source/slurm/slurm_document.h"
#include "source/slurm/slurm_things.h"
#include "support/expect.h"

#include <stdio.h>
#include <stdlib.h>

/* --- states ------------------------------------------------------------------------------------- */

struct class_row {
    const char *name; /* the state */
    const char *class;
};

static const struct class_row class_rows[] = {
    {"ALLOCATED", "allocated"},
    {"MIXED", "mixed"},
    {"IDLE", "idle"},
    {"DOWN", "down"},
    {"ERROR", "down"},
    {"UNKNOWN", "unknown"},
    {"FUTURE", "unknown"},
    {"MELTED", "unknown"},
    {"MELTED+PLANNED", "unknown"},
    {"", "unknown"},
    /* drained, or still at work */
    {"IDLE+DRAIN", "drained"},
    {"MIXED+DRAIN", "draining"},
    {"ALLOCATED+DRAIN", "draining"},
    {"IDLE+COMPLETING+DRAIN", "draining"},
    {"DOWN+DRAIN", "drained"},
    {"DOWN*+DRAIN", "drained"},
    {"IDLE*+DRAIN", "drained"},
    {"IDLE+DRAIN+MAINT", "drained"},
    {"MIXED+DRAIN+RESERVED+PLANNED", "draining"},
    {"MELTED+DRAIN", "drained"},
    /* broken */
    {"IDLE+FAIL", "failed"},
    {"DOWN+FAIL", "failed"},
    {"MIXED+FAIL", "draining"},
    {"IDLE+INVALID_REG", "down"},
    {"INVAL", "down"},
    {"ALLOCATED+INVALID_REG", "allocated"},
    /* does not answer */
    {"DOWN*", "down"},
    {"DOWN+NOT_RESPONDING", "down"},
    {"IDLE*", "down"},
    {"IDLE+NOT_RESPONDING", "down"},
    {"MIXED*", "mixed"},
    {"ALLOCATED+NOT_RESPONDING", "allocated"},
    /* held */
    {"IDLE+RESERVED", "reserved"},
    {"MIXED+RESERVED", "mixed"},
    {"IDLE+MAINT+RESERVED", "maintenance"},
    {"IDLE+MAINT", "maintenance"},
    {"ALLOCATED+MAINT", "allocated"},
    {"DOWN+MAINT", "down"},
    {"IDLE+BLOCKED", "reserved"},
    {"IDLE+PLANNED", "idle"},
    {"MIXED+PLANNED", "mixed"},
    /* power */
    {"IDLE+POWERED_DOWN", "powered_down"},
    {"IDLE+CLOUD+POWERED_DOWN", "powered_down"},
    {"IDLE+POWERING_DOWN", "powered_down"},
    {"IDLE+POWERING_UP", "idle"},
    {"ALLOCATED+POWERING_UP", "allocated"},
    {"ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP", "allocated"},
    {"IDLE+POWER_DOWN", "idle"},
    {"DOWN+POWERED_DOWN", "down"},
    {"IDLE+DYNAMIC_NORM", "idle"},
    /* reboot */
    {"IDLE+REBOOT_REQUESTED", "idle"},
    {"MIXED+REBOOT_REQUESTED", "mixed"},
    {"IDLE+REBOOT_ISSUED", "down"},
    /* being cleared away */
    {"IDLE+COMPLETING", "mixed"},
    {"MIXED+COMPLETING", "mixed"},
    {"ALLOCATED+COMPLETING", "allocated"},
    {"COMPLETING", "mixed"},
    /* as sinfo writes them */
    {"idle", "idle"},
    {"mixed", "mixed"},
    {"draining", "draining"},
    {"drng", "draining"},
    {"drained", "drained"},
    {"drain*", "drained"},
    {"failing", "draining"},
    {"fail", "failed"},
    {"reserved", "reserved"},
    {"maint", "maintenance"},
    {"planned", "idle"},
    {"completing", "mixed"},
    {"idle~", "powered_down"},
    {"idle#", "idle"},
    {"alloc#", "allocated"},
    {"mix-", "mixed"},
    {"idle$", "maintenance"},
    {"idle^", "down"},
    {"idle@", "idle"},
    {"down*", "down"},
    {"inval", "down"},
    {"powered_down", "powered_down"},
    {"unk*", "down"},
};

static void state_has_its_class(void **state)
{
    const struct class_row *row = *state;
    struct str got = node_class_name(slurm_node_class(str_of(row->name)));
    expect_text_n(got.ptr, got.len, row->class);
}

/* --- documents ------------------------------------------------------------------------------------ */

struct reading {
    struct arena arena;
    struct inventory_item_list list;
    struct error err;
    int failed;
};

static void read_text(struct reading *r, enum inventory_item_kind kind, const char *text)
{
    *r = (struct reading){0};
    r->failed = slurm_things_read(kind, str_of(text), NULL, &r->arena, &r->list, &r->err);
}

static void reading_release(struct reading *r)
{
    inventory_item_list_release(&r->list);
    arena_release(&r->arena);
}

static void print_things(const struct inventory_item_list *list, enum inventory_item_kind kind,
                         struct buf *out)
{
    const struct inventory_item_description *about = &inventory_item_kinds[kind];
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < about->field_count; k++) {
            const struct inventory_item_value *value = &list->rows[i].values[k];
            if (!value->has) {
                continue;
            }
            if (about->fields[k].type == FIELD_INT) {
                buf_addf(out, "%s=%lld ", about->fields[k].id, (long long)value->integer);
            } else {
                buf_addf(out, "%s='%.*s' ", about->fields[k].id, STR_ARG(value->text));
            }
        }
        buf_addz(out, "\n");
    }
}

struct thing_row {
    const char *name;
    enum inventory_item_kind kind;
    const char *text, *want;
};

#define LINE                                                                                   \
    "NodeName=g1 Arch=x86_64 CoresPerSocket=16  CPUAlloc=4 CPUEfctv=30 CPUTot=32 "             \
    "CPULoad=8.29 "                                                                            \
    "AvailableFeatures=a,b ActiveFeatures=a Gres=gpu:a100:4(S:0-1),shard:a100:16,gpu:2 "       \
    "NodeAddr=127.0.0.1 NodeHostName=localhost Port=26318 Version=22.05.8 OS=Linux 6.1 #1 "    \
    "SMP "                                                                                     \
    "@0  RealMemory=1000 AllocMem=400 FreeMem=11952 Sockets=2 Boards=1 State=MIXED+DRAIN "     \
    "ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=gpu,all  "         \
    "BootTime=2026-11-15T01:55:55 CfgTRES=cpu=32,mem=250G AllocTRES=cpu=4,mem=400M "           \
    "CapWatts=n/a Reason=fan | broken State=DOWN [x@y] [root@2026-11-15T08:24:44]"

#define G1                                                                                     \
    "node='g1' cpus=30 cores=32 mem=1048576000 gpus=6 gpu_type='a100' partitions='gpu,all' "   \
    "features='a,b' os='Linux 6.1 #1 SMP @0' state='MIXED+DRAIN' class='draining' "            \
    "reason='fan | broken State=DOWN [x@y]' reason_by='root' reason_at=1794731084000000 "      \
    "cpus_alloc=4 mem_alloc=419430400 \n"

/* A row of sinfo --json: nodes with 2 sockets of 16 cores, from `least` to `most` cpus. */
#define GROUP(partition, nodes, count, least, most, state, gres, reason)                       \
    "{\"port\":6818,\"node\":{\"state\":[\"" state "\"]},\"nodes\":{\"total\":" #count         \
    ",\"nodes\":[" nodes "]},\"cpus\":{\"minimum\":" #least ",\"maximum\":" #most              \
    "},\"sockets\":{\"minimum\":2,\"maximum\":2},\"cores\":{\"minimum\":16,\"maximum\":16},"   \
    "\"memory\":{\"minimum\":1000,\"maximum\":1000},\"disk\":{\"minimum\":0,\"maximum\":0},"   \
    "\"features\":{\"total\":\"a,b\"},\"gres\":{\"total\":\"" gres "\"},\"reason\":\"" reason  \
    "\",\"partition\":{\"name\":\"" partition "\"}}"

static const struct thing_row thing_rows[] = {
    {"a node of scontrol", INVENTORY_ITEM_NODE, LINE "\n\n", G1},
    {"two of them, and a comment of two lines", INVENTORY_ITEM_NODE,
     LINE " Comment=first\nsecond\nNodeName=c1 State=IDLE* Gres=(null) Partitions=(null)\n",
     G1 "node='c1' gpus=0 state='IDLE*' class='down' \n"},
    {"a node of 22.05", INVENTORY_ITEM_NODE,
     "{\"meta\":{},\"errors\":[],\"nodes\":[{\"name\":\"g1\",\"cpus\":32,\"cores\":16,"
     "\"sockets\":2,"
     "\"real_memory\":1000,\"gres\":\"gpu:1g.10gb:7(S:0),gpu:a100:2\",\"state\":\"mixed\","
     "\"state_flags\":[\"DRAIN\"],\"partitions\":[\"gpu\",\"all\"],\"features\":\"a,b\","
     "\"reason\":\"fan\",\"reason_set_by_user\":\"root\",\"temporary_disk\":0}]}",
     "node='g1' cpus=32 cores=32 mem=1048576000 gpus=9 gpu_type='1g.10gb,a100' "
     "partitions='gpu,all' features='a,b' state='MIXED+DRAIN' class='draining' reason='fan' "
     "reason_by='root' \n"},
    {"a node of 24.11", INVENTORY_ITEM_NODE,
     "{\"nodes\":[{\"name\":\"c1\",\"cpus\":32,\"effective_cpus\":30,\"cores\":16,\"sockets\":"
     "2,"
     "\"real_memory\":1000,\"gres\":\"\",\"state\":[\"IDLE\",\"NOT_RESPONDING\"],"
     "\"partitions\":[],"
     "\"features\":[\"a\",\"b\"],\"reason\":\"\",\"reason_set_by_user\":\"\","
     "\"temporary_disk\":5}],\"errors\":[],\"warnings\":[]}",
     "node='c1' cpus=30 cores=32 mem=1048576000 disk=5242880 gpus=0 features='a,b' "
     "state='IDLE+NOT_RESPONDING' class='down' \n"},
    {"a node of which little is told", INVENTORY_ITEM_NODE, "{\"nodes\":[{\"name\":\"c1\"}]}",
     "node='c1' \n"},
    {"no nodes", INVENTORY_ITEM_NODE, "{\"nodes\":[],\"errors\":[]}", ""},
    {"a node of scontrol in lines", INVENTORY_ITEM_NODE,
     "NodeName=c1 Arch=x86_64 CoresPerSocket=8 \n   CPUAlloc=0 CPUEfctv=16 CPUTot=16 "
     "CPULoad=0.49\n"
     "   Gres=(null)\n   OS=Linux 6.1 #1 \n   RealMemory=1000 AllocMem=0 Sockets=2 Boards=1\n"
     "   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 \n   Partitions=cpu,all \n\n"
     "   Reason=fan [root@2026-11-15T08:24:44]\n\nNodeName=c2 Gres=(null)\n   State=IDLE\n\n",
     "node='c1' cpus=16 cores=16 mem=1048576000 gpus=0 partitions='cpu,all' os='Linux 6.1 #1' "
     "state='IDLE+DRAIN' class='drained' reason='fan' reason_by='root' "
     "reason_at=1794731084000000 cpus_alloc=0 mem_alloc=0 \n"
     "node='c2' gpus=0 state='IDLE' class='idle' \n"},
    /* What is allocated: GPUs by what is in use, or by TRES where the accounting counts them. */
    {"what scontrol says is allocated", INVENTORY_ITEM_NODE,
     "NodeName=a CPUAlloc=8 CPUTot=32 Gres=gpu:a100:4 State=MIXED CfgTRES=cpu=32,gres/gpu=4 "
     "AllocTRES=cpu=8,mem=1G,gres/gpu=3,gres/gpu:a100=3\n"
     "NodeName=b CPUAlloc=0 CPUTot=32 Gres=gpu:4 State=IDLE CfgTRES=cpu=32,gres/gpu=4 "
     "AllocTRES=\n"
     "NodeName=c CPUAlloc=1 CPUTot=32 Gres=gpu:4 GresUsed=gpu:a100:2(IDX:0,3) State=MIXED "
     "CfgTRES=cpu=32 AllocTRES=cpu=1\n"
     "NodeName=d CPUAlloc=1 CPUTot=32 Gres=gpu:4 State=MIXED CfgTRES=cpu=32 AllocTRES=cpu=1\n",
     "node='a' cpus=32 gpus=4 gpu_type='a100' state='MIXED' class='mixed' cpus_alloc=8 "
     "gpus_alloc=3 \n"
     "node='b' cpus=32 gpus=4 state='IDLE' class='idle' cpus_alloc=0 gpus_alloc=0 \n"
     "node='c' cpus=32 gpus=4 state='MIXED' class='mixed' cpus_alloc=1 gpus_alloc=2 \n"
     "node='d' cpus=32 gpus=4 state='MIXED' class='mixed' cpus_alloc=1 \n"},
    {"what slurmrestd says is allocated, and since when it is down", INVENTORY_ITEM_NODE,
     "{\"nodes\":[{\"name\":\"a\",\"cpus\":32,\"gres\":\"gpu:a100:4\",\"state\":[\"DOWN\"],"
     "\"alloc_cpus\":8,\"alloc_memory\":1000,\"gres_used\":\"gpu:a100:3(IDX:0-2)\","
     "\"reason\":\"fan\",\"reason_changed_at\":{\"set\":true,\"infinite\":false,"
     "\"number\":1700000000}},{\"name\":\"b\",\"gres\":\"\",\"gres_used\":\"gpu:0\","
     "\"state\":[\"IDLE\"],\"reason\":\"\",\"reason_changed_at\":0}]}",
     "node='a' cpus=32 gpus=4 gpu_type='a100' state='DOWN' class='down' reason='fan' "
     "reason_at=1700000000000000 cpus_alloc=8 mem_alloc=1048576000 gpus_alloc=3 \n"
     "node='b' gpus=0 state='IDLE' class='idle' \n"},
    {"groups of sinfo, of 24.11", INVENTORY_ITEM_NODE,
     "{\"sinfo\":[" GROUP(
         "gpu", "\"g1\"", 1, 32, 32, "MIXED\",\"DRAIN", "gpu:a100:4(S:0-1)",
         "fan") "," GROUP("cpu", "\"c1\",\"c2\"", 2, 16, 32, "IDLE", "",
                          "") "," GROUP("all", "\"c1\",\"c2\"", 2, 16, 32, "IDLE", "",
                                        "") "," GROUP("all", "\"g1\"", 1, 32, 32,
                                                      "MIXED\",\"DRAIN", "gpu:a100:4(S:0-1)",
                                                      "fan") "],\"errors\":[],\"meta\":{}}",
     "node='c1' cores=32 mem=1048576000 gpus=0 partitions='all,cpu' features='a,b' "
     "state='IDLE' "
     "class='idle' \n"
     "node='c2' cores=32 mem=1048576000 gpus=0 partitions='all,cpu' features='a,b' "
     "state='IDLE' "
     "class='idle' \n"
     "node='g1' cpus=32 cores=32 mem=1048576000 gpus=4 gpu_type='a100' partitions='all,gpu' "
     "features='a,b' state='MIXED+DRAIN' class='draining' reason='fan' \n"},
    {"no groups", INVENTORY_ITEM_NODE, "{\"sinfo\":[],\"errors\":[]}", ""},
    {"a partition of scontrol", INVENTORY_ITEM_PARTITION,
     "PartitionName=cpu AllowGroups=ALL Default=YES DefaultTime=00:10:00 MaxTime=2-00:00:00 "
     "Nodes=c[1-3] State=UP TotalCPUs=48 TotalNodes=3 DefMemPerCPU=100 TRES=cpu=48,mem=187.50G "
     "TRESBillingWeights=CPU=1.0,Mem=0.25G\n"
     "PartitionName=gpu Default=NO MaxTime=UNLIMITED Nodes=(null) OverSubscribe=EXCLUSIVE "
     "State=DOWN DefMemPerNode=UNLIMITED\n",
     "partition='cpu' state='UP' nodes='c[1-3]' node_count=3 cpus=48 max_wall=172800000000 "
     "is_default=1 default_wall=600000000 def_mem_per_cpu=104857600 whole_nodes=0 "
     "billing_weights='CPU=1.0,Mem=0.25G' \npartition='gpu' state='DOWN' is_default=0 "
     "whole_nodes=1 billing_weights='' \n"},
    {"how a partition of slurmrestd bills", INVENTORY_ITEM_PARTITION,
     "{\"partitions\":[{\"name\":\"cpu\",\"max_time_limit\":null,\"billing_weights\":"
     "\"CPU=1.0,Mem=0.25G\",\"default_memory_per_cpu\":100},{\"name\":\"gpu\","
     "\"maximums\":{},\"tres\":{\"billing_weights\":\"\"},\"defaults\":{\"time\":{\"set\":true,"
     "\"infinite\":false,\"number\":10},\"partition_memory_per_node\":{\"set\":true,"
     "\"infinite\":false,\"number\":7}}}]}",
     "partition='cpu' def_mem_per_cpu=104857600 billing_weights='CPU=1.0,Mem=0.25G' \n"
     "partition='gpu' default_wall=600000000 def_mem_per_node=7340032 billing_weights='' \n"},
    {"a partition of 22.05", INVENTORY_ITEM_PARTITION,
     "{\"partitions\":[{\"name\":\"cpu\",\"flags\":[\"default\"],\"state\":\"UP\",\"nodes\":"
     "\"c[1-3]\",\"total_nodes\":3,\"total_cpus\":48,\"max_time_limit\":2880},"
     "{\"name\":\"gpu\",\"flags\":[],\"state\":\"UP\",\"max_time_limit\":null}]}",
     "partition='cpu' state='UP' nodes='c[1-3]' node_count=3 cpus=48 max_wall=172800000000 "
     "is_default=1 \npartition='gpu' state='UP' is_default=0 \n"},
    {"a partition of 24.05", INVENTORY_ITEM_PARTITION,
     "{\"partitions\":[{\"name\":\"cpu\",\"nodes\":{\"configured\":\"c[1-3]\",\"total\":3},"
     "\"cpus\":{\"total\":48},\"maximums\":{\"time\":{\"set\":true,\"infinite\":false,"
     "\"number\":2880}},\"partition\":{\"state\":[\"UP\"]}},{\"name\":\"gpu\",\"maximums\":{"
     "\"time\":{\"set\":false,\"infinite\":true,\"number\":0}}}]}",
     "partition='cpu' state='UP' nodes='c[1-3]' node_count=3 cpus=48 max_wall=172800000000 "
     "\npartition='gpu' \n"},
    {"a reservation of scontrol", INVENTORY_ITEM_RESERVATION,
     "ReservationName=r1 StartTime=2026-11-15T08:24:44 EndTime=2026-11-15T08:54:44 "
     "Duration=00:30:00 Nodes=c3 NodeCnt=1 CoreCnt=16 Features=(null) PartitionName=(null) "
     "Flags=MAINT,SPEC_NODES TRES=cpu=32 Users=lp Groups=(null) Accounts=(null) "
     "Licenses=(null) State=ACTIVE\n",
     "reservation='r1' start=1794731084000000 end=1794732884000000 nodes='c3' node_count=1 "
     "cpus=32 users='lp' flags='MAINT,SPEC_NODES' \n"},
    {"a reservation with times as seconds", INVENTORY_ITEM_RESERVATION,
     "ReservationName=r1 StartTime=1794731084 EndTime=1794732884 CoreCnt=16\n",
     "reservation='r1' start=1794731084000000 end=1794732884000000 cpus=16 \n"},
    {"a reservation of slurmrestd", INVENTORY_ITEM_RESERVATION,
     "{\"reservations\":[{\"name\":\"r1\",\"start_time\":{\"set\":true,\"number\":1794731084},"
     "\"end_time\":1794732884,\"node_list\":\"c3\",\"node_count\":1,\"core_count\":16,"
     "\"tres\":\"cpu=32\",\"users\":\"lp\",\"accounts\":\"\",\"partition\":\"\","
     "\"flags\":[\"MAINT\",\"SPEC_NODES\"]}]}",
     "reservation='r1' start=1794731084000000 end=1794732884000000 nodes='c3' node_count=1 "
     "cpus=32 users='lp' flags='MAINT,SPEC_NODES' \n"},
    {"no reservations", INVENTORY_ITEM_RESERVATION, "No reservations in the system\n", ""},
    {"no reservations, of slurmrestd", INVENTORY_ITEM_RESERVATION, "{\"reservations\":[]}", ""},
};

static void things_are_read(void **state)
{
    const struct thing_row *row = *state;
    struct reading r;
    struct buf got;
    read_text(&r, row->kind, row->text);
    if (r.failed) {
        expect_fail("%s", r.err.text);
    }
    buf_init(&got, 1 << 16);
    print_things(&r.list, row->kind, &got);
    expect_text(got.ptr, row->want);
    buf_release(&got);
    reading_release(&r);
}

struct refusal_row {
    const char *name;
    enum inventory_item_kind kind;
    const char *text, *why;
};

static const struct refusal_row refusal_rows[] = {
    {"nothing", INVENTORY_ITEM_NODE, "", "is empty"},
    {"blank lines", INVENTORY_ITEM_NODE, "\n\n", "is empty"},
    {"something else", INVENTORY_ITEM_NODE,
     "slurm_load_node: Unable to contact slurm controller\n", "without NodeName="},
    {"half a line", INVENTORY_ITEM_NODE, "NodeName=c1 State=IDLE\nNodeName=c2 Sta",
     "middle of a line"},
    {"half a document", INVENTORY_ITEM_NODE, "{\"nodes\":[{\"name\":\"c1\"},{\"na",
     "in the middle"},
    {"another document", INVENTORY_ITEM_NODE, "{\"jobs\":[]}", "no list of nodes"},
    {"a group without its nodes", INVENTORY_ITEM_NODE,
     "{\"sinfo\":[{\"nodes\":{\"total\":3}}],\"errors\":[]}", "names 0 of 3 nodes"},
    {"a failure", INVENTORY_ITEM_NODE,
     "{\"errors\":[{\"description\":\"Unable to contact slurm controller\",\"error_number\":1,"
     "\"error\":\"Zero Bytes\"}],\"nodes\":[]}",
     "Slurm says 'Zero Bytes' (Unable to contact slurm controller)"},
    {"a node without a name", INVENTORY_ITEM_NODE, "{\"nodes\":[{\"cpus\":3}]}",
     "node without a name"},
    {"not JSON", INVENTORY_ITEM_NODE, "{\"nodes\":[{\"name\":nonsense}]}", "not JSON"},
};

static void what_is_not_whole_is_refused(void **state)
{
    const struct refusal_row *row = *state;
    struct reading r;
    read_text(&r, row->kind, row->text);
    expect_true(r.failed != 0);
    expect_contains(r.err.text, row->why);
    reading_release(&r);
}

static void a_query_without_an_answer_is_no_failure(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, INVENTORY_ITEM_RESERVATION,
              "{\"errors\":[{\"error_number\":9003,\"error\":\"Nothing found\"}]}");
    expect_int(r.failed, 0);
    expect_uint(r.list.count, 0);
    reading_release(&r);
}

static void a_document_in_pieces_is_the_same(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"jobs\":[]},\"b\\\"\":\"]}\",\"errors\":[{\"error\":"
                               "\"no\"}],\"jobs\":[{\"x\":1}]}";
    for (size_t cut = 0; cut < sizeof(text); cut++) {
        struct slurm_document d = {.list = "jobs"};
        struct error err = {0};
        slurm_document_feed(&d, (struct str){text, cut});
        expect_true(d.ended == (cut == sizeof(text) - 1));
        slurm_document_feed(&d, (struct str){text + cut, sizeof(text) - 1 - cut});
        expect_true(d.ended && d.list_found);
        expect_int(slurm_document_end(&d, &err), ERROR_IO);
        expect_contains(err.text, "'no'");
    }
}

/* --- real ones -------------------------------------------------------------------------------------- */

static bool read_data(struct reading *r, enum inventory_item_kind kind, const char *name)
{
    const char *data = getenv("STINT_DATA");
    struct buf text;
    char path[512];
    *r = (struct reading){0};
    if (!data) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/slurm/%s", data, name);
    buf_init(&text, 64 << 20);
    if (file_read(path, &text, &r->err)) {
        expect_fail("%s", r->err.text);
    }
    r->failed = slurm_things_read(kind, buf_str(&text), NULL, &r->arena, &r->list, &r->err);
    if (r->failed) {
        expect_fail("%s: %s", name, r->err.text);
    }
    buf_release(&text);
    return true;
}

struct same_row {
    const char *name; /* the text */
    enum inventory_item_kind kind;
    const char *json;
};

static const struct same_row same_rows[] = {
    {"live-22.05/scontrol-node-oneline.txt", INVENTORY_ITEM_NODE,
     "live-22.05/rest-slurm-nodes.json"},
    {"live-22.05/scontrol-node-oneline.txt", INVENTORY_ITEM_NODE, "live-22.05/sinfo.json"},
    {"live-22.05/scontrol-node.txt", INVENTORY_ITEM_NODE, "live-22.05/sinfo.json"},
    {"live-22.05/scontrol-part.txt", INVENTORY_ITEM_PARTITION,
     "live-22.05/rest-slurm-partitions.json"},
    {"live-22.05/scontrol-resv.txt", INVENTORY_ITEM_RESERVATION,
     "live-22.05/rest-slurm-reservations.json"},
};

/* Of whole nodes the document of slurmrestd says nothing. */
static void leave_out_whole_nodes(struct inventory_item_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        expect_true(list->rows[i].values[PARTITION_whole_nodes].has);
        list->rows[i].values[PARTITION_whole_nodes].has = false;
    }
}

static void scontrol_and_slurmrestd_tell_the_same(void **state)
{
    const struct same_row *row = *state;
    struct reading text, json;
    struct buf left, right;
    if (!read_data(&text, row->kind, row->name)) {
        skip();
    }
    expect_true(read_data(&json, row->kind, row->json));
    if (row->kind == INVENTORY_ITEM_PARTITION) {
        leave_out_whole_nodes(&text.list);
    }
    buf_init(&left, 1 << 20);
    buf_init(&right, 1 << 20);
    print_things(&text.list, row->kind, &left);
    print_things(&json.list, row->kind, &right);
    expect_true(left.len > 0);
    expect_text(left.ptr, right.ptr);
    buf_release(&left);
    buf_release(&right);
    reading_release(&text);
    reading_release(&json);
}

struct head_row {
    const char *name; /* the head */
    int kind;         /* -1: of none */
};

static const struct head_row head_rows[] = {
    {"NodeName=c1 Arch=x86_64", INVENTORY_ITEM_NODE},
    {"PartitionName=cpu\n   AllowGroups=ALL", INVENTORY_ITEM_PARTITION},
    {"ReservationName=r1 StartTime=", INVENTORY_ITEM_RESERVATION},
    {"NodeName|State", -1},
    {"{\"meta\":{\"Slurm\":{}},\"errors\":[],\"nodes\":[{\"name\":\"c1\",\"real_memory\":1",
     INVENTORY_ITEM_NODE},
    {"{\"sinfo\":[{\"port\":6818,\"partition\":{", INVENTORY_ITEM_NODE},
    {"{\"partitions\":[{\"nodes\":{\"total\":3},\"maximums\":{", INVENTORY_ITEM_PARTITION},
    {"{\"partitions\":[{\"max_time_limit\":3", INVENTORY_ITEM_PARTITION},
    {"{\"meta\":{\"slurm\":{}},\"reservations\":[]}", INVENTORY_ITEM_RESERVATION},
    {"{\"reservations\":[]}", -1},
    {"{\"nodes\":[{\"id\":1}],\"edges\":[]}", -1},
    {"{\"meta\":{\"Slurm\":{}},\"jobs\":[{\"nodes\":[{\"real_memory\":1", -1},
    {"", -1},
};

static void listings_are_told_by_their_head(void **state)
{
    const struct head_row *row = *state;
    enum inventory_item_kind kind = INVENTORY_ITEM_KIND_COUNT;
    const bool known = slurm_things.recognise(str_of(row->name), &kind);
    expect_int(known ? (int)kind : -1, row->kind);
}

struct count_row {
    const char *name; /* of the file */
    enum inventory_item_kind kind;
    size_t count;
    int64_t sum; /* cpus of all */
};

static const struct count_row count_rows[] = {
    {"exporter-rivosinc/fixtures/sinfo_out.json", INVENTORY_ITEM_NODE, 4, 256},
    {"slurmrestd/24.05/0.0.41/slurm-nodes.json", INVENTORY_ITEM_NODE, 100, 6400},
    {"slurmrestd/24.11/0.0.41/slurm-nodes.json", INVENTORY_ITEM_NODE, 6, 320},
    {"slurmrestd/24.11/0.0.42/slurm-nodes.json", INVENTORY_ITEM_NODE, 6, 320},
    {"telegraf/gather/responses/nodes.json", INVENTORY_ITEM_NODE, 3, 108},
    {"firecrest/mocked_api_responses/slurm_get_nodes.json", INVENTORY_ITEM_NODE, 1, 2},
    {"slurmrestd/24.05/0.0.41/slurm-partitions.json", INVENTORY_ITEM_PARTITION, 4, 28416},
    {"slurmrestd/24.11/0.0.42/slurm-partitions.json", INVENTORY_ITEM_PARTITION, 2, 320},
    {"telegraf/gather/responses/partitions.json", INVENTORY_ITEM_PARTITION, 1, 632},
    {"firecrest/mocked_api_responses/slurm_get_partitions.json", INVENTORY_ITEM_PARTITION, 3,
     6},
    {"slurmrestd/24.05/0.0.41/slurm-reservations.json", INVENTORY_ITEM_RESERVATION, 1, 25856},
    {"slurmrestd/24.11/0.0.41/slurm-reservations.json", INVENTORY_ITEM_RESERVATION, 2, 512},
    {"slurmrestd/24.11/0.0.42/slurm-reservations.json", INVENTORY_ITEM_RESERVATION, 0, 0},
    {"telegraf/gather/responses/reservations.json", INVENTORY_ITEM_RESERVATION, 0, 0},
    {"firecrest/mocked_api_responses/slurm_get_reservations.json", INVENTORY_ITEM_RESERVATION,
     1, 2},
};

static void other_versions_are_read(void **state)
{
    static const int cpus[] = {NODE_cpus, PARTITION_cpus, RESERVATION_cpus};
    const struct count_row *row = *state;
    struct reading r;
    int64_t sum = 0;
    if (!read_data(&r, row->kind, row->name)) {
        skip();
    }
    for (size_t i = 0; i < r.list.count; i++) {
        const struct inventory_item_value *value = &r.list.rows[i].values[cpus[row->kind]];
        sum += value->has ? value->integer : 0;
        expect_true(row->kind != INVENTORY_ITEM_NODE ||
                    !str_eq(r.list.rows[i].values[NODE_class].text, STR("unknown")));
    }
    print_message("# %s %zu %lld\n", row->name, r.list.count, (long long)sum);
    expect_uint(r.list.count, row->count);
    expect_int(sum, row->sum);
    reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, state_has_its_class, class_rows);
    SUITE_ROWS(&suite, things_are_read, thing_rows);
    SUITE_ROWS(&suite, what_is_not_whole_is_refused, refusal_rows);
    SUITE_TEST(&suite, a_query_without_an_answer_is_no_failure);
    SUITE_TEST(&suite, a_document_in_pieces_is_the_same);
    SUITE_ROWS(&suite, scontrol_and_slurmrestd_tell_the_same, same_rows);
    SUITE_ROWS(&suite, listings_are_told_by_their_head, head_rows);
    SUITE_ROWS(&suite, other_versions_are_read, count_rows);
    return suite_run(&suite, "slurm_things");
}
