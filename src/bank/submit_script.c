/* SPDX-License-Identifier: MIT */
#include "bank/submit_script.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "base/zone.h"
#include "record/run_resources.h"

enum {
    WORDS_MAX = 64, /* of a line */
    COUNT_MAX = 1000000000,
    MINUTE_S = 60
};

#define MIB (INT64_C(1) << 20)

/* --- values ------------------------------------------------------------------------------- */

static int refuse_option(struct str option, struct str value, const char *want,
                         struct error *err)
{
    return error_set(err, ERROR_USAGE, "%.*s: '%.*s' is not %s", STR_ARG(option),
                     value.len < 60 ? (int)value.len : 60, value.ptr, want);
}

/* "4", or "2-4": the most it may be. */
static bool scan_count(struct str text, int64_t *out)
{
    struct str rest = text;
    int64_t first, last;
    const struct str low = str_cut(&rest, '-');
    if (!scan_int(low, &first) || first < 0 || first > COUNT_MAX) {
        return false;
    }
    if (!rest.ptr) {
        *out = first;
        return true;
    }
    if (!scan_int(rest, &last) || last < first || last > COUNT_MAX) {
        return false;
    }
    *out = last;
    return true;
}

/* "1-10", "0-15:4", "1,3,5-7", with "%4" after it: how many. */
static bool scan_array(struct str text, int64_t *out)
{
    struct str list = text;
    int64_t count = 0;
    list = str_cut(&list, '%');
    for (struct str rest = list; rest.ptr;) {
        struct str part = str_cut(&rest, ',');
        struct str step_text = part;
        const struct str range = str_cut(&step_text, ':');
        struct str last_text = range;
        const struct str first_text = str_cut(&last_text, '-');
        int64_t first, last, step = 1;
        if (!scan_int(first_text, &first) || first < 0 || first > COUNT_MAX) {
            return false;
        }
        last = first;
        if ((last_text.ptr &&
             (!scan_int(last_text, &last) || last < first || last > COUNT_MAX)) ||
            (step_text.ptr && (!scan_int(step_text, &step) || step <= 0))) {
            return false;
        }
        count += (last - first) / step + 1;
        if (count > COUNT_MAX) {
            return false;
        }
    }
    *out = count;
    return count > 0;
}

/* "2", "a100", "a100:2", and lists of these: how many in all, and the first model. */
static bool scan_gpus(struct str text, int64_t *count, struct str *model)
{
    *count = 0;
    for (struct str rest = text; rest.ptr;) {
        struct str number = str_cut(&rest, ',');
        int64_t one = 1;
        if (!scan_count(number, &one)) {
            struct str tail = number;
            const struct str name = str_cut(&tail, ':');
            if (name.len == 0 || (tail.ptr && !scan_count(tail, &one))) {
                return false;
            }
            *model = model->ptr ? *model : name;
        }
        *count += one;
        if (*count > COUNT_MAX) {
            return false;
        }
    }
    return true;
}

/* --- what options say --------------------------------------------------------------------- */

/* An option of a scheduler, and what reads its value. */
struct option {
    const char *name, *letter; /* "--ntasks", "-n"; either may be NULL */
    int (*read)(struct submit_script *batch, const struct option *option, struct str value,
                struct error *err);
    size_t member; /* of struct submit_script_said, for read_number, read_size and read_gpus */
    bool named;    /* a name stands before its value, and is passed over: -pe mpi 8 */
};

static int64_t *said_of(struct submit_script *batch, const struct option *option)
{
    return (int64_t *)(void *)((char *)&batch->said + option->member);
}

static struct str option_name(const struct option *option)
{
    return str_of(option->name ? option->name : option->letter);
}

static int read_number(struct submit_script *batch, const struct option *option,
                       struct str value, struct error *err)
{
    return scan_count(value, said_of(batch, option))
               ? 0
               : refuse_option(option_name(option), value, "a number such as 4", err);
}

/* 0 is all that a node has: nobody knows how much. */
static int read_size(struct submit_script *batch, const struct option *option, struct str value,
                     struct error *err)
{
    return scan_size(value, MIB, said_of(batch, option))
               ? 0
               : refuse_option(option_name(option), value, "a size such as 4G", err);
}

/* Memory of a node; 0 is all that it has. */
static int read_node_memory(struct submit_script *batch, const struct option *option,
                            struct str value, struct error *err)
{
    int failed = read_size(batch, option, value, err);
    batch->all_memory = !failed && *said_of(batch, option) == 0;
    return failed;
}

static void add_unknown(struct submit_script *batch, struct str word)
{
    if (batch->unknown_count < SUBMIT_SCRIPT_UNKNOWN_MAX) {
        batch->unknown[batch->unknown_count++] = word;
    }
}

static int read_gpus(struct submit_script *batch, const struct option *option, struct str value,
                     struct error *err)
{
    struct str model = {0};
    if (!scan_gpus(value, said_of(batch, option), &model)) {
        return refuse_option(option_name(option), value, "a number of GPUs such as 2 or a100:2",
                             err);
    }
    if (model.ptr) {
        RUN_SET(&batch->run, gpu_type, model);
    }
    return 0;
}

/* What was said before of this kind no longer holds. */
static void forget_others(struct submit_script *batch, const char *kind,
                          enum submit_script_per per)
{
    size_t kept = 0;
    for (size_t i = 0; i < batch->other_count; i++) {
        const struct submit_script_other *other = &batch->others[i];
        if (strcmp(other->kind, kind) != 0 || other->per != per) {
            batch->others[kept++] = *other;
        }
    }
    batch->other_count = kept;
}

/* "shard:2", "fpga:x1:1", "matlab", "matlab=3"; one that cannot be read is named. */
static void add_other(struct submit_script *batch, const char *kind, enum submit_script_per per,
                      struct str text)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != ':' && text.ptr[at - 1] != '=') {
        at--;
    }
    struct submit_script_other other = {.kind = kind, .name = text, .count = 1, .per = per};
    const struct str number = {text.ptr + at, text.len - at};
    if (at > 0 && scan_count(number, &other.count)) {
        other.name.len = at - 1;
    }
    const bool is_plain = other.name.len > 0 && !str_byte(other.name, '=') &&
                          !str_byte(other.name, '|') && !str_byte(other.name, '/');
    if (!is_plain || batch->other_count == SUBMIT_SCRIPT_OTHERS_MAX) {
        add_unknown(batch, text);
        return;
    }
    batch->others[batch->other_count++] = other;
}

/* "matlab:2,abaqus" */
static int read_licenses(struct submit_script *batch, const struct option *option,
                         struct str value, struct error *err)
{
    (void)option;
    (void)err;
    forget_others(batch, "license/", SUBMIT_SCRIPT_JOB);
    for (struct str rest = value; rest.ptr;) {
        add_other(batch, "license/", SUBMIT_SCRIPT_JOB, str_cut(&rest, ','));
    }
    return 0;
}

/* "gpu:a100:2,shard:1": those of a node. */
static int read_gres(struct submit_script *batch, const struct option *option, struct str value,
                     struct error *err)
{
    forget_others(batch, "gres/", SUBMIT_SCRIPT_NODE);
    for (struct str rest = value; rest.ptr;) {
        struct str tail = str_cut(&rest, ',');
        if (str_starts(tail, STR("gres/")) || str_starts(tail, STR("gres:"))) {
            tail = (struct str){tail.ptr + 5, tail.len - 5};
        }
        const struct str whole = tail;
        const struct str kind = str_cut(&tail, ':');
        if (str_eq(kind, STR("gpu"))) {
            int failed = read_gpus(batch, option, tail.ptr ? tail : STR("1"), err);
            if (failed) {
                return failed;
            }
        } else if (!str_eq_nocase(kind, STR("none"))) {
            add_other(batch, "gres/", SUBMIT_SCRIPT_NODE, whole);
        }
    }
    return 0;
}

/*
 * "cpu:4,gres/gpu:a100:1", or "gres:gpu:1" as older versions have it; what is neither is named.
 */
static int read_task_tres(struct submit_script *batch, const struct option *option,
                          struct str value, struct error *err)
{
    forget_others(batch, "gres/", SUBMIT_SCRIPT_TASK);
    forget_others(batch, "license/", SUBMIT_SCRIPT_TASK);
    for (struct str rest = value; rest.ptr;) {
        const struct str whole = str_cut(&rest, ',');
        struct str tail = whole;
        struct str kind = str_cut(&tail, ':');
        if (str_eq(kind, STR("gres")) && str_starts(tail, STR("gpu"))) {
            kind = str_cut(&tail, ':');
        }
        if (str_eq(kind, STR("cpu"))) {
            if (!tail.ptr || !scan_count(tail, &batch->said.cpus_per_task)) {
                return refuse_option(option_name(option), whole, "such as cpu:4 or gres/gpu:1",
                                     err);
            }
        } else if (str_eq(kind, STR("gpu")) || str_eq(kind, STR("gres/gpu"))) {
            int failed = read_gpus(batch, option, tail.ptr ? tail : STR("1"), err);
            if (failed) {
                return failed;
            }
        } else if (str_starts(whole, STR("gres/")) || str_starts(whole, STR("gres:"))) {
            add_other(batch, "gres/", SUBMIT_SCRIPT_TASK,
                      (struct str){whole.ptr + 5, whole.len - 5});
        } else if (str_starts(whole, STR("license/"))) {
            add_other(batch, "license/", SUBMIT_SCRIPT_TASK,
                      (struct str){whole.ptr + 8, whole.len - 8});
        } else {
            add_unknown(batch, whole);
        }
    }
    return 0;
}

static int set_limit(struct submit_script *batch, int64_t limit_us)
{
    RUN_SET(&batch->run, req_wall_us, limit_us);
    return 0;
}

/* Of Slurm: a number alone is minutes. */
static int read_minutes(struct submit_script *batch, const struct option *option,
                        struct str value, struct error *err)
{
    int64_t number;
    if (scan_int(value, &number)) {
        return number >= 0 && number <= COUNT_MAX
                   ? set_limit(batch, number * MINUTE_S * SECOND_US)
                   : refuse_option(option_name(option), value, "a time limit", err);
    }
    return scan_duration(value, &number) && number < INSTANT_MAX
               ? set_limit(batch, number)
               : refuse_option(option_name(option), value,
                               "a time limit such as 90, 1:30:00 or 2-00:00", err);
}

static int read_array(struct submit_script *batch, const struct option *option,
                      struct str value, struct error *err)
{
    return scan_array(value, &batch->tasks)
               ? 0
               : refuse_option(option_name(option), value, "an array such as 1-10 or 1,3,5-7",
                               err);
}

static int read_whole_nodes(struct submit_script *batch, const struct option *option,
                            struct str value, struct error *err)
{
    (void)option;
    (void)value;
    (void)err;
    batch->whole_nodes = true;
    return 0;
}

#define NAME_READER(function, field)                                                           \
    static int function(struct submit_script *batch, const struct option *option,              \
                        struct str value, struct error *err)                                   \
    {                                                                                          \
        (void)option;                                                                          \
        (void)err;                                                                             \
        struct str rest = value;                                                               \
        const struct str first = str_cut(&rest, ',');                                          \
        RUN_SET(&batch->run, field, first);                                                    \
        return 0;                                                                              \
    }
NAME_READER(read_account, account)
NAME_READER(read_partition, partition)
NAME_READER(read_qos, qos)
NAME_READER(read_cluster, cluster)
NAME_READER(read_project, project)

/* "h_rt=2:00:00,h_vmem=4G,gpu=1": what Grid Engine calls resources; memory is for each slot. */
static int read_resources(struct submit_script *batch, const struct option *option,
                          struct str value, struct error *err)
{
    static const char *const memory[] = {"h_vmem", "mem_free", "s_vmem", "virtual_free", "mem"};
    static const char *const gpus[] = {"gpu", "gpus", "ngpus"};
    for (struct str rest = value; rest.ptr;) {
        struct str number = str_cut(&rest, ',');
        const struct str name = str_cut(&number, '=');
        int64_t limit;
        bool known = true;
        if (str_eq(name, STR("h_rt")) || str_eq(name, STR("s_rt"))) {
            known = number.ptr && scan_duration(number, &limit) && limit < INSTANT_MAX &&
                    set_limit(batch, limit) == 0;
        }
        for (size_t i = 0; i < COUNT_OF(memory); i++) {
            if (str_eq(name, str_of(memory[i]))) {
                known = number.ptr && scan_size(number, 1, &batch->said.mem_per_cpu);
            }
        }
        for (size_t i = 0; i < COUNT_OF(gpus); i++) {
            if (str_eq(name, str_of(gpus[i]))) {
                known = number.ptr && scan_count(number, &batch->said.gpus);
            }
        }
        if (!known) {
            return refuse_option(option_name(option), number.ptr ? number : name,
                                 "what that resource is measured in", err);
        }
    }
    return 0;
}

#define SAID(member_) offsetof(struct submit_script_said, member_)

static const struct option slurm_options[] = {
    {"--ntasks", "-n", read_number, SAID(tasks), false},
    {"--cpus-per-task", "-c", read_number, SAID(cpus_per_task), false},
    {"--cpus-per-gpu", NULL, read_number, SAID(cpus_per_gpu), false},
    {"--nodes", "-N", read_number, SAID(nodes), false},
    {"--ntasks-per-node", NULL, read_number, SAID(tasks_per_node), false},
    {"--mem", NULL, read_node_memory, SAID(mem_per_node), false},
    {"--mem-per-cpu", NULL, read_size, SAID(mem_per_cpu), false},
    {"--mem-per-gpu", NULL, read_size, SAID(mem_per_gpu), false},
    {"--gpus", "-G", read_gpus, SAID(gpus), false},
    {"--gpus-per-node", NULL, read_gpus, SAID(gpus_per_node), false},
    {"--gpus-per-task", NULL, read_gpus, SAID(gpus_per_task), false},
    {"--tres-per-task", NULL, read_task_tres, SAID(gpus_per_task), false},
    {"--gres", NULL, read_gres, SAID(gpus_per_node), false},
    {"--licenses", "-L", read_licenses, 0, false},
    {"--time", "-t", read_minutes, 0, false},
    {"--array", "-a", read_array, 0, false},
    {"--account", "-A", read_account, 0, false},
    {"--partition", "-p", read_partition, 0, false},
    {"--qos", "-q", read_qos, 0, false},
    {"--clusters", "-M", read_cluster, 0, false},
    {"--exclusive", NULL, read_whole_nodes, 0, false},
};

static const struct option sge_options[] = {
    {NULL, "-pe", read_number, SAID(slots), true},
    {NULL, "-l", read_resources, 0, false},
    {NULL, "-t", read_array, 0, false},
    {NULL, "-A", read_account, 0, false},
    {NULL, "-P", read_project, 0, false},
    {NULL, "-q", read_partition, 0, false},
};

/*
 * Options that have no value in another word: what follows them is the next option, or the
 * script.
 */
static const char *const slurm_flags[] = {
    "-H",        "--hold",         "-k",          "--no-kill",    "-O",
    "-Q",        "--quiet",        "-s",          "--share",      "-v",
    "-W",        "--wait",         "--verbose",   "--overcommit", "--oversubscribe",
    "--requeue", "--no-requeue",   "--parsable",  "--contiguous", "--spread-job",
    "--reboot",  "--get-user-env", "--no-kill",   "--ignore-pbs", "--use-min-nodes",
    "--nice",    "--propagate",    "--test-only", "--resv-ports", NULL};
static const char *const sge_flags[] = {"-cwd",    "-V",       "-h",     "-hard",
                                        "-soft",   "-notify",  "-clear", "-terse",
                                        "-verify", "-nostdin", NULL};

/* Options with a value that say nothing about the price. */
static const char *const slurm_others[] = {"--acctg-freq",
                                           "--bb",
                                           "--bbf",
                                           "--begin",
                                           "-b",
                                           "--chdir",
                                           "-D",
                                           "--comment",
                                           "--constraint",
                                           "-C",
                                           "--container",
                                           "--cpu-freq",
                                           "--deadline",
                                           "--delay-boot",
                                           "--dependency",
                                           "-d",
                                           "--error",
                                           "-e",
                                           "--exclude",
                                           "-x",
                                           "--export",
                                           "--export-file",
                                           "--gid",
                                           "--gpu-bind",
                                           "--gpu-freq",
                                           "--gres-flags",
                                           "--hint",
                                           "--input",
                                           "-i",
                                           "--job-name",
                                           "-J",
                                           "--mail-type",
                                           "--mail-user",
                                           "--mcs-label",
                                           "--mem-bind",
                                           "--network",
                                           "--nice",
                                           "--nodelist",
                                           "-w",
                                           "--open-mode",
                                           "--output",
                                           "-o",
                                           "--prefer",
                                           "--priority",
                                           "--profile",
                                           "--reservation",
                                           "--signal",
                                           "--switches",
                                           "--time-min",
                                           "--tmp",
                                           "--uid",
                                           "--wait-all-nodes",
                                           "--wckey",
                                           "--wrap",
                                           "--distribution",
                                           "-m",
                                           "--kill-on-invalid-dep",
                                           NULL};
static const char *const sge_others[] = {
    "-N",  "-o", "-e",  "-j",   "-S",    "-m",  "-M",        "-b",     "-r",       "-p",
    "-v",  "-a", "-wd", "-w",   "-sync", "-R",  "-ac",       "-c",     "-C",       "-ckpt",
    "-dl", "-i", "-js", "-now", "-tc",   "-ar", "-hold_jid", "-shell", "-masterq", NULL};

static const struct {
    const struct option *rows;
    size_t count;
    const char *const *flags, *const *others;
    struct str mark; /* how a line of a script begins that has options */
} schedulers[SUBMIT_SCRIPT_SCHEDULERS] = {
    [SUBMIT_SCRIPT_SLURM] =
        {slurm_options, COUNT_OF(slurm_options), slurm_flags, slurm_others, {"#SBATCH", 7}},
    [SUBMIT_SCRIPT_SGE] =
        {sge_options, COUNT_OF(sge_options), sge_flags, sge_others, {"#$", 2}},
};

/* --- words -------------------------------------------------------------------------------- */

/* The words of a command line, and how far it was read. */
struct reader {
    const struct str *words;
    size_t count, at;
};

static bool is_option(struct str word)
{
    return word.len > 1 && word.ptr[0] == '-';
}

/* The option that a word is, and, where the word has its value too, that: --ntasks=4, -n4. */
static const struct option *find_option(enum submit_script_scheduler scheduler, struct str word,
                                        struct str *value)
{
    struct str tail = word;
    const struct str name = str_cut(&tail, '=');
    for (size_t i = 0; i < schedulers[scheduler].count; i++) {
        const struct option *option = &schedulers[scheduler].rows[i];
        const struct str letter = option->letter ? str_of(option->letter) : (struct str){0};
        *value = (struct str){0};
        if (option->name && str_eq(name, str_of(option->name))) {
            *value = tail;
            return option;
        }
        if (letter.ptr && str_eq(word, letter)) {
            return option;
        }
        if (letter.len == 2 && scheduler == SUBMIT_SCRIPT_SLURM && str_starts(word, letter)) {
            *value = (struct str){word.ptr + 2, word.len - 2};
            return option;
        }
    }
    return NULL;
}

/* --account="chem" */
static struct str unquoted(struct str value)
{
    const bool quoted = value.ptr && value.len > 1 &&
                        (value.ptr[0] == '"' || value.ptr[0] == '\'') &&
                        value.ptr[value.len - 1] == value.ptr[0];
    return quoted ? (struct str){value.ptr + 1, value.len - 2} : value;
}

static int read_option(struct submit_script *batch, const struct option *option,
                       struct str value, struct reader *reader, struct error *err)
{
    if (option->read == read_whole_nodes) { /* --exclusive, --exclusive=user */
        return option->read(batch, option, value, err);
    }
    reader->at += option->named;
    if (!value.ptr && reader->at < reader->count) {
        value = reader->words[reader->at++];
    }
    value = unquoted(value);
    return value.ptr && value.len
               ? option->read(batch, option, value, err)
               : error_set(err, ERROR_USAGE, "%.*s has no value", STR_ARG(option_name(option)));
}

static bool is_listed(const char *const *names, struct str word)
{
    while (*names && !str_eq(word, str_of(*names))) {
        names++;
    }
    return *names != NULL;
}

static bool is_flag(enum submit_script_scheduler scheduler, struct str word)
{
    return is_listed(schedulers[scheduler].flags, word);
}

/* Whether an option is one that the price does not go by: --nice=5, -Jname. */
static bool is_neutral(enum submit_script_scheduler scheduler, struct str word)
{
    struct str rest = word;
    const struct str name = str_cut(&rest, '=');
    const bool is_long = str_starts(word, STR("--"));
    const struct str letter = {word.ptr, word.len < 2 ? word.len : 2};
    return is_flag(scheduler, name) || is_listed(schedulers[scheduler].others, name) ||
           (scheduler == SUBMIT_SCRIPT_SLURM && !is_long &&
            is_listed(schedulers[scheduler].others, letter));
}

/* Passes over the value of an option that says nothing here, if that is another word. */
static void pass_over(struct reader *reader, enum submit_script_scheduler scheduler,
                      struct str word)
{
    const bool has_none = memchr(word.ptr, '=', word.len) || is_flag(scheduler, word);
    if (!has_none && reader->at < reader->count && !is_option(reader->words[reader->at])) {
        reader->at++;
    }
}

int submit_script_read_words(struct submit_script *batch,
                             enum submit_script_scheduler scheduler, const struct str *words,
                             size_t count, struct error *err)
{
    struct reader reader = {words, count, 0};
    int failed = 0;
    while (!failed && reader.at < reader.count) {
        struct str value;
        const struct str word = reader.words[reader.at++];
        if (scheduler == SUBMIT_SCRIPT_SLURM && str_eq(word, STR(":"))) {
            return error_set(err, ERROR_USAGE,
                             "a job of several components has no quote: ask for one of each");
        }
        if (scheduler == SUBMIT_SCRIPT_SLURM &&
            (str_eq(word, STR("hetjob")) || str_eq(word, STR("packjob")))) {
            return error_set(err, ERROR_USAGE,
                             "a script of several components has no quote: give the options of "
                             "each on the command line, with : between them");
        }
        if (!is_option(word)) {
            break; /* the script, and what is for it */
        }
        const struct option *option = find_option(scheduler, word, &value);
        if (option) {
            failed = read_option(batch, option, value, &reader, err);
        } else {
            if (!is_neutral(scheduler, word)) {
                add_unknown(batch, word);
            }
            pass_over(&reader, scheduler, word);
        }
    }
    return failed;
}

/* --- scripts ------------------------------------------------------------------------------ */

/* Blank-separated, with quotes around some; what follows a # is a comment. */
static size_t split(struct str line, struct str words[WORDS_MAX])
{
    size_t count = 0;
    struct str rest = str_trim(line);
    while (rest.len && rest.ptr[0] != '#' && count < WORDS_MAX) {
        const char quote = rest.ptr[0] == '"' || rest.ptr[0] == '\'' ? rest.ptr[0] : 0;
        size_t begin = quote != 0, end = begin;
        while (end < rest.len && (quote ? rest.ptr[end] != quote
                                        : rest.ptr[end] != ' ' && rest.ptr[end] != '\t')) {
            end++;
        }
        words[count++] = (struct str){rest.ptr + begin, end - begin};
        end += quote && end < rest.len;
        rest = str_trim((struct str){rest.ptr + end, rest.len - end});
    }
    return count;
}

/* Whether a line has options of this scheduler: #SBATCH and a blank; #$ and what follows. */
static bool is_for(enum submit_script_scheduler scheduler, struct str line, struct str *rest)
{
    const struct str mark = schedulers[scheduler].mark;
    if (!str_starts(line, mark)) {
        return false;
    }
    *rest = (struct str){line.ptr + mark.len, line.len - mark.len};
    return scheduler == SUBMIT_SCRIPT_SGE ||
           (rest->len && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t'));
}

int submit_script_read_script(struct submit_script *batch, struct str text,
                              enum submit_script_scheduler *scheduler, struct error *err)
{
    bool found[SUBMIT_SCRIPT_SCHEDULERS] = {0}, commands = false;
    int failed = 0;
    for (struct str lines = text; !failed && lines.ptr;) {
        struct str words[WORDS_MAX], rest;
        const struct str line = str_trim(str_cut(&lines, '\n'));
        commands = commands || (line.len && line.ptr[0] != '#');
        for (unsigned s = 0; !failed && s < SUBMIT_SCRIPT_SCHEDULERS; s++) {
            /* Slurm stops at the first command, Grid Engine reads on. */
            if ((s != SUBMIT_SCRIPT_SLURM || !commands) && is_for(s, line, &rest)) {
                found[s] = true;
                failed = submit_script_read_words(batch, s, words, split(rest, words), err);
            }
        }
    }
    if (!failed && found[SUBMIT_SCRIPT_SLURM] == found[SUBMIT_SCRIPT_SGE]) {
        failed = error_set(err, ERROR_INPUT,
                           found[SUBMIT_SCRIPT_SLURM]
                               ? "the script has lines of both #SBATCH and #$"
                               : "the script has no line that begins with #SBATCH or #$");
    }
    *scheduler = found[SUBMIT_SCRIPT_SGE] ? SUBMIT_SCRIPT_SGE : SUBMIT_SCRIPT_SLURM;
    return failed;
}

/* --- what it comes to --------------------------------------------------------------------- */

static int multiply(int64_t a, int64_t b, const char *what, int64_t *out, struct error *err)
{
    return !__builtin_mul_overflow(a, b, out)
               ? 0
               : error_set(err, ERROR_LIMIT, "%s is more than a run can have", what);
}

static int64_t or_one(int64_t number)
{
    return number > 0 ? number : 1;
}

/* How many tasks there are, where nobody says how many go by GPUs. */
static int count_tasks(const struct submit_script_said *said, int64_t *tasks, struct error *err)
{
    *tasks = said->tasks;
    return *tasks > 0 ? 0
                      : multiply(or_one(said->nodes), or_one(said->tasks_per_node),
                                 "the number of tasks", tasks, err);
}

static int finish_gpus(struct submit_script *batch, struct error *err)
{
    static const char what[] = "the number of GPUs";
    const struct submit_script_said *said = &batch->said;
    int64_t gpus = said->gpus, tasks = 0;
    int failed = count_tasks(said, &tasks, err);
    if (!failed && gpus == 0 && said->gpus_per_node > 0) {
        failed = multiply(said->gpus_per_node, or_one(said->nodes), what, &gpus, err);
    } else if (!failed && gpus == 0 && said->gpus_per_task > 0) {
        failed = multiply(said->gpus_per_task, tasks, what, &gpus, err);
    }
    if (!failed) {
        RUN_SET(&batch->run, gpus, gpus);
    }
    return failed;
}

/* After the GPUs: cpus may be for each of these. */
static int finish_cpus(struct submit_script *batch, struct error *err)
{
    static const char what[] = "the number of cpus";
    const struct submit_script_said *said = &batch->said;
    int64_t tasks = 0, cpus = said->slots;
    int failed = count_tasks(said, &tasks, err);
    if (!failed && cpus == 0) {
        failed = said->cpus_per_gpu > 0 && batch->run.gpus > 0
                     ? multiply(said->cpus_per_gpu, batch->run.gpus, what, &cpus, err)
                     : multiply(tasks, or_one(said->cpus_per_task), what, &cpus, err);
    }
    if (!failed && !batch->whole_nodes) { /* nobody says how many whole nodes have */
        RUN_SET(&batch->run, cpus, cpus);
    }
    if (!failed && said->slots == 0 && (said->nodes > 0 || tasks == 1)) {
        RUN_SET(&batch->run, node_count, or_one(said->nodes));
    }
    return failed;
}

static int finish_memory(struct submit_script *batch, struct error *err)
{
    const struct submit_script_said *said = &batch->said;
    int64_t bytes = 0;
    int failed = 0;
    if (said->mem_per_node > 0) {
        failed = multiply(said->mem_per_node, or_one(said->nodes), "the memory", &bytes, err);
    } else if (said->mem_per_cpu > 0 && RUN_HAS(&batch->run, cpus)) {
        failed = multiply(said->mem_per_cpu, batch->run.cpus, "the memory", &bytes, err);
    } else if (said->mem_per_gpu > 0) {
        failed = multiply(said->mem_per_gpu, batch->run.gpus, "the memory", &bytes, err);
    }
    if (!failed && bytes > 0) {
        RUN_SET(&batch->run, mem_bytes, bytes);
    }
    return failed;
}

/* How many of it the whole job has. */
static int count_other(const struct submit_script *batch,
                       const struct submit_script_other *other, int64_t *out, struct error *err)
{
    int64_t times = 1;
    int failed = 0;
    if (other->per == SUBMIT_SCRIPT_NODE) {
        times = or_one(batch->said.nodes);
    } else if (other->per == SUBMIT_SCRIPT_TASK) {
        failed = count_tasks(&batch->said, &times, err);
    }
    return failed ? failed : multiply(other->count, times, "the number of GRES", out, err);
}

/* Adds a resource to the text of the run. */
static int add_resource(struct submit_script *batch, const char *kind, struct str name,
                        int64_t count, struct error *err)
{
    const size_t at = strlen(batch->resources), room = sizeof(batch->resources) - at;
    const int length = snprintf(batch->resources + at, room, "%s%s%.*s=%lld", at > 0 ? "," : "",
                                kind, STR_ARG(name), (long long)count);
    return length > 0 && (size_t)length < room
               ? 0
               : error_set(err, ERROR_LIMIT, "the names of what the job asks for are too long");
}

/*
 * Other resources, and GPUs of a model, as the record of the job will have them
 * (record/run_resources.h). Grid Engine records none.
 */
static int finish_resources(struct submit_script *batch, struct error *err)
{
    const struct run *run = &batch->run;
    int failed = 0;
    batch->resources[0] = '\0';
    if (RUN_HAS(run, gpu_type) && run->gpus > 0) {
        failed = add_resource(batch, "gres/gpu:", run->gpu_type, run->gpus, err);
    }
    for (size_t i = 0; !failed && i < batch->other_count; i++) {
        int64_t count = 0;
        failed = count_other(batch, &batch->others[i], &count, err);
        if (!failed && count > 0) {
            failed =
                add_resource(batch, batch->others[i].kind, batch->others[i].name, count, err);
        }
    }
    if (!failed && batch->said.slots == 0 && run_resources_valid(str_of(batch->resources))) {
        RUN_SET(&batch->run, resources, str_of(batch->resources));
    }
    return failed;
}

int submit_script_finish(struct submit_script *batch, struct error *err)
{
    int failed;
    batch->tasks = or_one(batch->tasks);
    (void)((failed = finish_gpus(batch, err)) || (failed = finish_cpus(batch, err)) ||
           (failed = finish_memory(batch, err)) || (failed = finish_resources(batch, err)));
    return failed;
}
