/* SPDX-License-Identifier: MIT */
#include "enforce/slurm/slurm_limits.h"

#include <stdio.h>

#include "support/expect.h"

#define ASSOCS                                                                                 \
    "root||||||||||\nroot|root|||||||||normal\n"                                               \
    "chem|||root|billing=1000,cpu=500,pages=1,vmem=1001|cpu=44,billing=9|7|||pages=5,vmem=1|"  \
    "\n"                                                                                       \
    "chem|ann||||||||| normal,run\nchem|bob|long||||3||||\n"
#define TRES   "cpu=10,mem=1000,energy=0,node=5,billing=12,fs/disk=0,gres/gpu:a100=0"
#define SHARES "root||70|cpu=0\n root|root|0|\n chem||70|" TRES "\n  chem|ann|70|billing=2\n"

static struct enforce_state found(const struct enforce_states *states, enum enforce_kind kind,
                                  const char *name, const char *under)
{
    const struct enforce_target target = {kind, str_of(name), str_of(under)};
    const struct enforce_state *state = enforce_states_find(states, &target);
    expect_true(state != NULL);
    return *state;
}

static void limits_and_usage_come_together(void **state)
{
    (void)state;
    struct enforce_states states = {0};
    struct error err;
    expect_int(slurm_limits_assocs(STR(ASSOCS), &states, &err), 0);
    expect_int(slurm_limits_shares(STR(SHARES), &states, &err), 0);
    expect_uint(states.count, 4); /* the one of a partition is left out */
    const struct enforce_state chem = found(&states, ENFORCE_ACCOUNT, "chem", NULL);
    expect_int(chem.values[ENFORCE_LIMIT].n, 1000);
    expect_int(chem.values[ENFORCE_HOLD].n, 9);
    expect_int(chem.values[ENFORCE_REFUSE].n, 7);
    expect_true(chem.counted && str_eq(chem.parent, STR("root")));
    expect_int(chem.used_s, 70);
    expect_int(chem.running_min, 12);
    expect_true(chem.marks[ENFORCE_LIMIT].is && !chem.marks[ENFORCE_LIMIT].before.is);
    expect_int(chem.marks[ENFORCE_LIMIT].set, 1000);
    expect_true(chem.marks[ENFORCE_JOBS].is);
    expect_int(chem.marks[ENFORCE_JOBS].before.n, 3);
    expect_int(chem.marks[ENFORCE_JOBS].set, 0);
    expect_false(chem.marks[ENFORCE_HOLD].is || chem.marks[ENFORCE_REFUSE].is);
    const struct enforce_state ann = found(&states, ENFORCE_USER, "ann", "chem");
    expect_true(!ann.values[ENFORCE_LIMIT].is && !ann.values[ENFORCE_REFUSE].is);
    expect_int(ann.running_min, 2);
    enforce_states_release(&states);
}

#define QOS                                                                                    \
    "run||billing=9,cpu=1|||1.000000\nnormal|||||1.000000\nlow|cpu=5||||0.500000\n"            \
    "part|billing=1|||7|2.000000\n"

/* Only what a user may use, or a partition has, overrides; of the user and of the accounts above. */
static void limits_of_a_quality_of_service_override_those_of_accounts(void **state)
{
    (void)state;
    struct enforce_states states = {0};
    struct error err;
    expect_int(slurm_limits_qos(STR(QOS), &states, &err), 0);
    expect_int(slurm_limits_assocs(STR(ASSOCS), &states, &err), 0);
    expect_int(
        slurm_limits_partitions(STR("PartitionName=a Nodes=c1 QoS=N/A\n"), &states, &err), 0);
    const struct enforce_state chem = found(&states, ENFORCE_ACCOUNT, "chem", NULL);
    const struct enforce_state root = found(&states, ENFORCE_ACCOUNT, "root", NULL);
    expect_true(str_eq(chem.overrides[ENFORCE_HOLD], STR("run")));
    expect_true(str_eq(root.overrides[ENFORCE_HOLD], STR("run")));
    expect_true(!chem.overrides[ENFORCE_LIMIT].ptr && !chem.overrides[ENFORCE_JOBS].ptr);
    expect_false(found(&states, ENFORCE_USER, "root", "root").overrides[ENFORCE_HOLD].ptr);
    expect_uint(states.qos_count, 4);
    expect_true(str_eq(states.qos[0].name, STR("low")) && !states.qos[0].usable);
    expect_int(states.qos[0].usage_factor, 500000);
    expect_int(
        slurm_limits_partitions(STR("PartitionName=a QoS=part Nodes=c1\n"), &states, &err), 0);
    expect_true(str_eq(found(&states, ENFORCE_USER, "root", "root").overrides[ENFORCE_JOBS],
                       STR("part")));
    expect_true(states.qos[2].usable);
    enforce_states_release(&states);
}

static void a_quality_of_service_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"|||||1\n",     "a||||x|1\n", "a|billing=x||||1\n",
                                        "a|||||fast\n", "a|||||1",    "sacctmgr: error\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct enforce_states states = {0};
        struct error err = {0};
        expect_int(slurm_limits_qos(str_of(texts[i]), &states, &err), ERROR_INPUT);
        expect_int(slurm_limits_partitions(STR("error\n"), &states, &err), ERROR_INPUT);
        enforce_states_release(&states);
    }
}

struct bad_row {
    const char *name;
    const char *assocs, *shares;
    const char *why;
};

static const struct bad_row bad_rows[] = {
    {"nothing", "", SHARES, "does not list the account root"},
    {"a line that is cut off", "root||||||||||\nchem|||ro", SHARES, "in the middle of a line"},
    {"a line that is cut off and ends", "root||||||||||\nchem|||ro\n", SHARES,
     "too few columns"},
    {"more columns than were asked for", "root|||||||||||x\n", SHARES, "too many columns"},
    {"a message", "sacctmgr: error: slurmdbd is away\n", SHARES, "too few columns"},
    {"a limit that is no number", "root||||billing=many||||||\n", SHARES, "no number"},
    {"a limit below zero", "root|||||billing=-4|||||\n", SHARES, "no number"},
    {"a count that is no number", "root||||||x||||\n", SHARES, "no number"},
    {"resources without a number", "root||||billing||||||\n", SHARES, "no number"},
    {"an account without a name", "root||||||||||\n|ann|||||||||\n", SHARES, "no name"},
    {"bytes that are no text", "root||||||||||\n\xff\xfe||||||||||\n", SHARES, "no name"},
    {"a mark that is no number", "root|||||pages=x,vmem=1|||||\n", SHARES, "no number"},
    {"a number of jobs that is none", "root||||||||x||\n", SHARES, "no number"},
    {"an account twice", "root||||||||||\nroot||||||||||\n", SHARES, "twice"},
    {"no usage at all", ASSOCS, "", "'sshare' does not list the account root"},
    {"usage that is no number", ASSOCS, "root||lots|\n", "no number"},
    {"usage below zero", ASSOCS, "root||-1|\n", "no number"},
    {"usage that does not fit", ASSOCS, "root||99999999999999999999|\n", "no number"},
    {"usage that is cut off", ASSOCS, "root||70|cpu=0\n chem||7", "in the middle of a line"},
};

static void nonsense_is_refused(void **state)
{
    const struct bad_row *row = *state;
    struct enforce_states states = {0};
    struct error err = {0};
    int failed = slurm_limits_assocs(str_of(row->assocs), &states, &err);
    failed = failed ? failed : slurm_limits_shares(str_of(row->shares), &states, &err);
    expect_int(failed, ERROR_INPUT);
    expect_contains(err.text, row->why);
    enforce_states_release(&states);
}

struct config_row {
    const char *name;
    const char *enforce;
    enum enforce_mode mode;
    bool ends_running;
    const char *why; /* NULL: it will do */
};

static const struct config_row config_rows[] = {
    {"safe limits", "associations,limits,qos,safe", ENFORCE_LIMIT, false, NULL},
    {"all", "all", ENFORCE_LIMIT, false, NULL},
    {"limits without safe end running jobs", "associations,limits", ENFORCE_LIMIT, false,
     "Slurm ends running jobs"},
    {"which the site may allow", "associations,limits", ENFORCE_LIMIT, true, NULL},
    {"a hold ends none", "associations,limits", ENFORCE_HOLD, false, NULL},
    {"no limits at all", "associations", ENFORCE_HOLD, false, "does not enforce limits"},
    {"none", "none", ENFORCE_REFUSE, false, "does not enforce limits"},
};

static void slurm_must_enforce_limits(void **state)
{
    const struct config_row *row = *state;
    char text[256];
    bool safe;
    struct error err = {0};
    (void)snprintf(text, sizeof(text),
                   "Configuration data as of now\nAccountingStorageEnforce = %s\nFoo = bar\n",
                   row->enforce);
    const int failed =
        slurm_limits_config(str_of(text), row->mode, row->ends_running, &safe, &err);
    expect_int(failed, row->why ? ERROR_INPUT : 0);
    if (row->why) {
        expect_contains(err.text, row->why);
    }
}

static void a_configuration_that_is_none_is_refused(void **state)
{
    (void)state;
    bool safe;
    struct error err = {0};
    expect_int(slurm_limits_config(STR("slurm_load_ctl_conf error\n"), ENFORCE_HOLD, false,
                                   &safe, &err),
               ERROR_INPUT);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, limits_and_usage_come_together);
    SUITE_TEST(&suite, limits_of_a_quality_of_service_override_those_of_accounts);
    SUITE_TEST(&suite, a_quality_of_service_that_is_none_is_refused);
    SUITE_ROWS(&suite, nonsense_is_refused, bad_rows);
    SUITE_ROWS(&suite, slurm_must_enforce_limits, config_rows);
    SUITE_TEST(&suite, a_configuration_that_is_none_is_refused);
    return suite_run(&suite, "slurm_limits");
}
