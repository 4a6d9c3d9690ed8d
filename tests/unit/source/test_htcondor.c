/* SPDX-License-Identifier: MIT */
#include "source/htcondor/htcondor.h"

#include "unit/source/reader.h"

/*
 * What becomes of the attributes of an ad, shape by shape. Whole files are in test_fixtures.
 */

#define ID                                                                                     \
    "ClusterId = 12\nProcId = 3\nGlobalJobId = \"s#12.3#1740816000\"\nQDate = 1740816000\n"
#define RAN   "JobStartDate = 1740816600\nJobCurrentStartDate = 1740816600\n"
#define DONE  "JobStatus = 4\nCompletionDate = 1740820200\nEnteredCurrentStatus = 1740820200\n"
#define WALL  "RemoteWallClockTime = 3600.0\n"
#define GONE  "JobStatus = 3\nCompletionDate = 0\nEnteredCurrentStatus = 1740820200\n"
#define STARS "*** Offset = 0 ClusterId = 12 ProcId = 3 Owner = \"ann\" CompletionDate = 0\n"

struct ad_row {
    const char *name;
    const char *text;
    enum source_step step;
    const struct want *wants;
};

static const struct ad_row ad_rows[] = {
    {"the last attribute of a name counts",
     ID RAN "RemoteWallClockTime = 0.0\n" DONE "RemoteWallClockTime = 3600.0\n" STARS,
     SOURCE_RECORD, WANTS({"start", "1740816600000000"}, {"flags", "0"})},
    {"names are the same in any case", "clusterid = 12\nPROCID = 3\n" RAN DONE STARS,
     SOURCE_RECORD, WANTS({"job", "12"}, {"task", "3"})},
    {"a removed job ends when it was removed", ID RAN WALL GONE STARS, SOURCE_RECORD,
     WANTS({"end", "1740820200000000"}, {"start", "1740816600000000"}, {"class", "cancelled"},
           {"state", "removed"})},
    {"a removed job had completed before, and was held for its output",
     ID RAN
     "JobStatus = 3\nCompletionDate = 1740818000\nEnteredCurrentStatus = 1740820200\n" STARS,
     SOURCE_RECORD, WANTS({"end", "1740820200000000"}, {"class", "cancelled"})},
    {"the first start where there is no other", ID "JobStartDate = 1740816600\n" DONE STARS,
     SOURCE_RECORD, WANTS({"start", "1740816600000000"}, {"attempt", "1740816600000000"})},
    {"a job removed long after it was held ends with its last attempt",
     ID RAN "RemoteWallClockTime = 900.0\nLastRemoteWallClockTime = 900.0\n" GONE STARS,
     SOURCE_RECORD,
     WANTS({"start", "1740816600000000"}, {"end", "1740817500000000"}, {"flags", "0"})},
    {"wall time of all attempts is what counts",
     ID "JobStartDate = 1740816100\nJobCurrentStartDate = 1740818400\n"
        "RemoteWallClockTime = 2800.0\nLastRemoteWallClockTime = 1800.0\n" DONE STARS,
     SOURCE_RECORD,
     WANTS({"start", "1740817400000000"}, {"end", "1740820200000000"}, {"flags", "32"},
           {"attempt", "1740818400000000"})},
    {"cpu time of all attempts is what counts",
     ID RAN DONE "RemoteUserCpu = 10.0\nRemoteSysCpu = 1.0\nCumulativeRemoteUserCpu = 30.5\n"
                 "CumulativeRemoteSysCpu = 2.0\n" STARS,
     SOURCE_RECORD, WANTS({"cpu_user", "30500000"}, {"cpu_used", "32500000"})},
    {"of an attempt its own cpu time counts",
     ID RAN "RemoteUserCpu = 10.0\nRemoteSysCpu = 1.0\nCumulativeRemoteUserCpu = 30.5\n"
            "*** EPOCH ClusterId=12 ProcId=3 RunInstanceId=1 CurrentTime=1740820200\n",
     SOURCE_RECORD,
     WANTS({"cpu_user", "10000000"}, {"end", "1740820200000000"}, {"class", "requeued"})},
    {"never started",
     ID "JobStatus = 3\nEnteredCurrentStatus = 1740817000\nRequestCpus = 4\n" STARS,
     SOURCE_RECORD,
     WANTS({"start", NULL}, {"cpus", NULL}, {"req_cpus", "4"}, {"end", "1740817000000000"})},
    {"an expression is not a number",
     ID RAN DONE
     "RequestMemory = ifthenelse(MemoryUsage =!= undefined,MemoryUsage,1024)\n"
     "MemoryUsage = ((ResidentSetSize + 1023) / 1024)\nRequestCpus = TARGET.Cpus\n" STARS,
     SOURCE_RECORD, WANTS({"req_mem", NULL}, {"mem_peak", NULL}, {"cpus", NULL})},
    {"an expression that begins with a digit is none either",
     ID RAN DONE "RequestMemory = 2 * 1024\n" STARS, SOURCE_RECORD, WANTS({"req_mem", NULL})},
    {"undefined is not known", ID RAN DONE "ExitCode = undefined\n" STARS, SOURCE_RECORD,
     WANTS({"exit_code", NULL}, {"class", "completed"})},
    {"cpus given, not those asked for",
     ID RAN DONE "RequestCpus = 1\nCpusProvisioned = 8\n" STARS, SOURCE_RECORD,
     WANTS({"cpus", "8"}, {"req_cpus", "1"})},
    {"memory is in MB here and in KB there",
     ID RAN DONE "RequestMemory = 2\nResidentSetSize_RAW = 3\nImageSize = 5\n" STARS,
     SOURCE_RECORD, WANTS({"req_mem", "2097152"}, {"mem_peak", "3072"}, {"vmem_peak", "5120"})},
    {"memory in use where the resident size is not said",
     ID RAN DONE "MemoryUsage = 7\nImageSize = 9000\n" STARS, SOURCE_RECORD,
     WANTS({"mem_peak", "7340032"}, {"vmem_peak", "9216000"})},
    {"a scheduler universe job has no slot",
     ID RAN DONE WALL "JobUniverse = 7\nRequestCpus = 1\n" STARS, SOURCE_RECORD,
     WANTS({"cpus", "0"}, {"partition", "scheduler"})},
    {"nor has a local universe job",
     ID RAN DONE WALL "JobUniverse = 12\nRequestCpus = 1\n" STARS, SOURCE_RECORD,
     WANTS({"cpus", "0"}, {"partition", "local"})},
    {"a parallel universe job has many",
     ID RAN DONE WALL "JobUniverse = 11\nRequestCpus = 4\nMinHosts = 3\n" STARS, SOURCE_RECORD,
     WANTS({"cpus", "12"}, {"node_count", "3"}, {"req_cpus", "12"})},
    {"and all of them ask for memory, GPUs and disk",
     ID RAN DONE WALL
     "JobUniverse = 11\nMinHosts = 3\nRequestMemory = 100\nRequestGPUs = 2\n"
     "MemoryProvisioned = 128\nGPUsProvisioned = 2\nDiskProvisioned = 10\n" STARS,
     SOURCE_RECORD,
     WANTS({"req_mem", "314572800"}, {"req_gpus", "6"}, {"mem", "402653184"}, {"gpus", "6"},
           {"disk", "30720"})},
    {"a job that waits is in no history",
     ID "JobStatus = 1\nEnteredCurrentStatus = 1740816000\n" STARS, SOURCE_REJECT, NULL},
    {"nor is one that runs", ID RAN "JobStatus = 2\nEnteredCurrentStatus = 1740816600\n" STARS,
     SOURCE_REJECT, NULL},
    {"an exit code", ID RAN DONE "ExitBySignal = false\nExitCode = 2\n" STARS, SOURCE_RECORD,
     WANTS({"exit_code", "2"}, {"class", "failed"})},
    {"a signal", ID RAN DONE "ExitBySignal = true\nExitSignal = 11\nExitCode = 0\n" STARS,
     SOURCE_RECORD, WANTS({"exit_code", NULL}, {"signal", "11"}, {"class", "failed"})},
    {"a memory limit", ID RAN GONE "HoldReasonCode = 34\n" STARS, SOURCE_RECORD,
     WANTS({"class", "oom"})},
    {"a time limit", ID RAN GONE "LastHoldReasonCode = 47\n" STARS, SOURCE_RECORD,
     WANTS({"class", "timeout"})},
    {"another time limit", ID RAN GONE "HoldReasonCode = 46\n" STARS, SOURCE_RECORD,
     WANTS({"class", "timeout"})},
    {"held for something else", ID RAN GONE "HoldReasonCode = 35\n" STARS, SOURCE_RECORD,
     WANTS({"class", "cancelled"})},
    {"a quote in a text", ID RAN DONE "Owner = \"a\\\"b\"\nIwd = \"C:\\temp\\\"\n" STARS,
     SOURCE_RECORD, WANTS({"user", "a\"b"}, {"work_dir", "C:\\temp\\"})},
    {"an = in a text", ID RAN DONE "Cmd = \"x\"\nArgs = \"a = b\"\n" STARS, SOURCE_RECORD,
     WANTS({"command", "x a = b"})},
    {"a transfer is no run",
     ID "*** OUTPUT ClusterId=12 ProcId=3 RunInstanceId=0 CurrentTime=1740820200\n",
     SOURCE_SKIP, NULL},
    {"bytes that are not UTF-8", ID RAN DONE "Owner = \"J\xfcrgen\"\n" STARS, SOURCE_RECORD,
     WANTS({"user", "J\xc3\xbcrgen"}, {"flags", "16"})},
    {"no id", RAN DONE STARS, SOURCE_REJECT, NULL},
    {"an end without stars", ID RAN DONE, SOURCE_REJECT, NULL},
    {"a bar after the last field", "4.sub|mia|90|0|0|1740816600|1740816690|640|640|1|\n",
     SOURCE_RECORD, WANTS({"user", "mia"}, {"cpus", "1"}, {"job_key", "4.sub"})},
    {"a field too few", "4|mia|90|0|0|1740816600|1740816690|640|640\n", SOURCE_REJECT, NULL},
};

static void read_ad(struct reading *r, const char *text)
{
    read_first(r, &htcondor_driver, str_of(text), NULL);
}

static void ad_becomes_its_run(void **state)
{
    const struct ad_row *row = *state;
    struct reading r;
    read_ad(&r, row->text);
    expect_int(r.step, row->step);
    if (row->wants) {
        expect_wants(&r.run, row->wants);
    }
    expect_int(r.step == SOURCE_REJECT, r.err.text[0] != '\0');
    reading_release(&r);
}

static void json_is_read_with_its_escapes(void **state)
{
    (void)state;
    struct reading r;
    read_ad(&r, "{\"ClusterId\":12,\"ProcId\":3,\"Owner\":\"\\u00e4\\ud83d\\ude00\\/\\\"\","
                "\"QDate\":1740816000,\"RequestMemory\":\"\\/Expr(a + 1)\\/\","
                "\"X\":{\"ClusterId\":99,\"y\":[\"}\"]},\"JobStatus\":4,\"ExitCode\":null}\n");
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, job, 12);
    expect_field_text(&r, user, "\xc3\xa4\xf0\x9f\x98\x80/\"");
    expect_absent(&r, req_mem_bytes);
    expect_absent(&r, exit_code);
    reading_release(&r);
}

static void xml_is_read_with_its_escapes(void **state)
{
    (void)state;
    struct reading r;
    read_ad(&r, "<c><a n=\"ClusterId\"><i>12</i></a><a n=\"ProcId\"><i> 3</i></a>"
                "<a n=\"Owner\"><s>a&lt;b&amp;&quot;&x</s></a><a n=\"X\"><c><a n=\"ClusterId\">"
                "<i>99</i></a></c></a><a n=\"ExitBySignal\"><b v=\"t\"/></a>"
                "<a n=\"JobStatus\"><i>4</i></a></c>\n");
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, job, 12);
    expect_field(&r, task, 3);
    expect_field_text(&r, user, "a<b&\"&x");
    expect_field_text(&r, class, "failed");
    reading_release(&r);
}

/* --- cuts ------------------------------------------------------------------------------------- */

struct cut_row {
    const char *name;
    const char *head; /* tells the language */
    const char *data;
    const char *rest; /* what is left for the next slice */
};

#define LONG_HEAD ID STARS
#define JSON_HEAD "[\n{\"ClusterId\":1}"
#define XML_HEAD  "<?xml?>"

static const struct cut_row cut_rows[] = {
    {"long: nothing", LONG_HEAD, "", ""},
    {"long: half an ad", LONG_HEAD, "A = 1\nB = 2\n", "A = 1\nB = 2\n"},
    {"long: an ad and a half", LONG_HEAD, "A = 1\n*** x\nB = 2\n", "B = 2\n"},
    {"long: half a line", LONG_HEAD, "A = 1\n*** x\nB = ", "B = "},
    {"long: an empty line", LONG_HEAD, "A = 1\n\nB = 2\n", "B = 2\n"},
    {"long: stars without a line end", LONG_HEAD, "A = 1\n*** x", "A = 1\n*** x"},
    {"json: whole", JSON_HEAD, "{\"a\":\"}\"}\n,\n{}\n]\n", ""},
    {"json: half", JSON_HEAD, "{\"a\":1},{\"b\":\"", ",{\"b\":\""},
    {"json: nested", JSON_HEAD, "{\"a\":{\"b\":[1]},", "{\"a\":{\"b\":[1]},"},
    {"json: broken, then whole", JSON_HEAD, "{\"a\":\"\n{\"b\":1}\n", ""},
    {"json: noise", JSON_HEAD, "noise\n{\"b\":1}\nmore", "\nmore"},
    {"xml: whole", XML_HEAD, "<c></c>\n<c></c>\n", "\n"},
    {"xml: half", XML_HEAD, "<c></c><c><a n=\"x\">", "<c><a n=\"x\">"},
    {"xml: nested", XML_HEAD, "<c><a><c></c></a>", "<c><a><c></c></a>"},
    {"xml: broken, then whole", XML_HEAD, "<c><a>\n<c></c>", ""},
};

static void cut_is_between_ads(void **state)
{
    const struct cut_row *row = *state;
    const struct source_options options = {0};
    struct error err;
    void *format = NULL;
    assert_int_equal(htcondor_driver.open(str_of(row->head), &options, &format, &err), 0);
    size_t cut = htcondor_driver.cut(format, str_of(row->data), false);
    expect_true(cut <= strlen(row->data));
    expect_text(row->data + cut, row->rest);
    htcondor_driver.close(format);
}

/* A broken object takes no other along. */
static void broken_json_ends_at_the_next_object(void **state)
{
    (void)state;
    const struct source_options options = {0};
    struct arena arena = {0};
    struct str file = STR("{\"ClusterId\":1,\"ProcId\":0,\"QDate\":\"\n"
                          "{\"ClusterId\":2,\"ProcId\":0,\"QDate\":5}\n");
    struct source_cursor cursor = {.rest = file, .next_line = 1, .arena = &arena};
    struct error err = {0};
    struct run run = {0};
    void *format = NULL;
    assert_int_equal(htcondor_driver.open(file, &options, &format, &err), 0);
    expect_int(htcondor_driver.next(format, &cursor, &run, &err), SOURCE_REJECT);
    run = (struct run){0};
    expect_int(htcondor_driver.next(format, &cursor, &run, &err), SOURCE_RECORD);
    expect_int(run.job, 2);
    expect_int((int64_t)cursor.line, 2);
    htcondor_driver.close(format);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, ad_becomes_its_run, ad_rows);
    SUITE_TEST(&suite, json_is_read_with_its_escapes);
    SUITE_TEST(&suite, xml_is_read_with_its_escapes);
    SUITE_ROWS(&suite, cut_is_between_ads, cut_rows);
    SUITE_TEST(&suite, broken_json_ends_at_the_next_object);
    return suite_run(&suite, "htcondor");
}
