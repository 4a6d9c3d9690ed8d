/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Every maximum that meets outside data, in one place. A buffer that grows is made with one of
 * these; beyond it the input is refused with ERROR_LIMIT instead of eating memory.
 */

enum {
    LIMIT_RECORD = 1 << 20, /* bytes of one accounting record; a longer line is quarantined */
    LIMIT_SLICE = 4 << 20,  /* bytes of input a worker parses at a time; > LIMIT_RECORD */
    LIMIT_SLICE_MAX = 32 << 20,      /* the same where one record, of many lines, needs more */
    LIMIT_QUARANTINE_KEEP = 4096,    /* bytes of a rejected record that are kept for display */
    LIMIT_QUARANTINE_ROWS = 1000000, /* rejected records that a store keeps */
    LIMIT_QUARANTINE_BYTES = 64 << 20, /* bytes of these, with their reasons */
    LIMIT_QUARANTINE_FILE =
        16 << 20,                 /* bytes of those of one file, which are in memory first */
    LIMIT_TEXT_FIELD = 64 << 10,  /* bytes of one text field of a record */
    LIMIT_SQL = 1 << 20,          /* bytes of one generated statement */
    LIMIT_ARGUMENT = 64 << 10,    /* bytes of one command-line value */
    LIMIT_OUTPUT = 1 << 30,       /* bytes of one rendered answer */
    LIMIT_BUCKETS = 200000,       /* calendar buckets of one report: 22 years of hours */
    LIMIT_BOOKS_NAME = 1 << 10,   /* bytes of one name in the books */
    LIMIT_BOOKS_FILE = 256 << 20, /* bytes of a dump or a sheet of the books */
    LIMIT_CHART_CELLS = 1 << 24,  /* values of one picture, before it is made fit to look at */
    LIMIT_MAP = 64 << 10,         /* bytes of a map of columns */
    LIMIT_BATCH_SCRIPT = 4 << 20, /* bytes of a batch script */
    LIMIT_CONFIG = 256 << 10,     /* bytes of stint.conf */
    LIMIT_RUN_ID = 64 << 10,      /* bytes of the name of a run */
    LIMIT_HOSTS = 1 << 16,        /* nodes of one list of them */
    LIMIT_HOST_NAME = 256,        /* bytes of the name of one */
    LIMIT_HOST_CPUS =
        1 << 30, /* cpus of all nodes of a list: their product is within 64 bits */
    LIMIT_NOMAD_ANSWER = 512 << 20, /* bytes of one answer of Nomad: some 50000 allocations */
    LIMIT_THINGS = 256 << 20,       /* bytes of an answer about all nodes of a cluster */
    LIMIT_PROC_FILE =
        4 << 20, /* bytes of one file of /proc; /proc/stat has a number an interrupt */
    LIMIT_PROCESSES = 1 << 22,     /* processes of one node: the largest pid there can be */
    LIMIT_GROUPS = 1 << 12,        /* control groups of jobs and users of one node */
    LIMIT_GROUP_FOLDERS = 1 << 15, /* folders of control groups that a look goes through */
    LIMIT_COUNTER_FILES = 1 << 10, /* files of counters of a node: of disks, links, sensors */
    LIMIT_CPUS = 1 << 16,          /* cores of one node */
    LIMIT_GPUS = 1 << 10,          /* GPUs of one node */
    LIMIT_GPU_ANSWER = 8 << 20,    /* bytes of what a tool says of GPUs and who uses them */
    LIMIT_ZONE_FILE = 1 << 20, /* bytes of one file of the tz database; the largest has 4 KiB */
};
