#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Importing an accounting file, against DuckDB's own reading of the same file into a table of the same
# width, and against Grid Engine's qacct, which reads the file for every question.
#
#   BENCH_RUNS=5000000 BENCH_MEMORY="1000000 5000000" BENCH_TIMES=5 sh bench/import.sh
#
# Both write into a new database on the same disk with all cores, the file being in the page cache.
# They take turns, and the best of each counts. Times are of whole processes, the closing of the
# database included.
. "$(dirname "$0")/support/bench.sh"

rows=${BENCH_RUNS:-5000000}
again=${BENCH_STARTS:-20}
memory_rows=${BENCH_MEMORY:-"$((rows / 5)) $rows"}

# The 45 columns of accounting(5). Rows that are not UTF-8 are left out by the engine: about one in a
# hundred, which stint reads as latin-1.
csv_statement() { # csv_statement FILE
    cat <<SQL
CREATE TABLE accounting AS FROM read_csv('$1', delim = ':', header = false, quote = '', escape = '',
    comment = '#', ignore_errors = true, columns = {
    'qname': 'VARCHAR', 'hostname': 'VARCHAR', 'group': 'VARCHAR', 'owner': 'VARCHAR',
    'job_name': 'VARCHAR', 'job_number': 'BIGINT', 'account': 'VARCHAR', 'priority': 'DOUBLE',
    'submission_time': 'BIGINT', 'start_time': 'BIGINT', 'end_time': 'BIGINT', 'failed': 'BIGINT',
    'exit_status': 'BIGINT', 'ru_wallclock': 'DOUBLE', 'ru_utime': 'DOUBLE', 'ru_stime': 'DOUBLE',
    'ru_maxrss': 'DOUBLE', 'ru_ixrss': 'DOUBLE', 'ru_ismrss': 'DOUBLE', 'ru_idrss': 'DOUBLE',
    'ru_isrss': 'DOUBLE', 'ru_minflt': 'DOUBLE', 'ru_majflt': 'DOUBLE', 'ru_nswap': 'DOUBLE',
    'ru_inblock': 'DOUBLE', 'ru_oublock': 'DOUBLE', 'ru_msgsnd': 'DOUBLE', 'ru_msgrcv': 'DOUBLE',
    'ru_nsignals': 'DOUBLE', 'ru_nvcsw': 'DOUBLE', 'ru_nivcsw': 'DOUBLE', 'project': 'VARCHAR',
    'department': 'VARCHAR', 'granted_pe': 'VARCHAR', 'slots': 'BIGINT', 'task_number': 'BIGINT',
    'cpu': 'DOUBLE', 'mem': 'DOUBLE', 'io': 'DOUBLE', 'category': 'VARCHAR', 'iow': 'DOUBLE',
    'pe_taskid': 'VARCHAR', 'maxvmem': 'DOUBLE', 'arid': 'BIGINT', 'ar_submission_time': 'BIGINT'})
SQL
}

import_stint() { # import_stint FILE: a line of figures
    rm -rf "$tmp/store"
    sync
    "$measure" "$STINT" import sge --cluster site --store "$tmp/store" --quiet "$1" || die "the import failed"
}

import_duckdb() { # import_duckdb FILE
    rm -f "$tmp/csv.duckdb" "$tmp/csv.duckdb.wal"
    csv_statement "$1" >"$tmp/csv.sql"
    sync
    "$measure" "$sql" -w "$tmp/csv.duckdb" "@$tmp/csv.sql" || die "read_csv failed"
}

# take_turns NAME FILE: lines of figures into $tmp/NAME.ours and $tmp/NAME.theirs.
take_turns() {
    cat "$2" >/dev/null
    : >"$tmp/$1.ours"
    : >"$tmp/$1.theirs"
    i=0
    while [ $i -lt "$BENCH_TIMES" ]; do
        i=$((i + 1))
        note "import of $2, round $i of $BENCH_TIMES"
        import_duckdb "$2" >>"$tmp/$1.theirs"
        import_stint "$2" >>"$tmp/$1.ours"
    done
}

# Slave tasks have a name in column 42. Their use is added to their jobs, which read_csv knows nothing of.
file=$(accounting "$rows") || exit 1
awk -F: '$42 == "NONE"' "$file" >"$tmp/plain"
take_turns plain "$tmp/plain"
take_turns all "$file"
import_ms=$(best 1 <"$tmp/all.ours")

note "asking"
ask_ms=$(best_ms "$BENCH_TIMES" "$STINT" report cpu_hours,jobs --by user --from "$site_from" --to "$site_to" \
    --store "$tmp/store") || exit 1
again_ms=$(median_ms "$again" "$STINT" import sge --cluster site --store "$tmp/store" --quiet "$file") || exit 1
qacct_ms=$(qacct_ms "$rows" -o) || exit 1

machine
heading "import of $rows rows, $(($(wc -c <"$file") / 1048576)) MiB (best of $BENCH_TIMES)"
row "new store; other: DuckDB read_csv" "$import_ms" "$(best 1 <"$tmp/all.theirs")" ms 1.0
row "  its cpu time" "$(best 2 <"$tmp/all.ours")" "$(best 2 <"$tmp/all.theirs")" ms ""
row "without slave tasks: $(wc -l <"$tmp/plain") rows" "$(best 1 <"$tmp/plain.ours")" "$(best 1 <"$tmp/plain.theirs")" ms 1.0
row "  its cpu time" "$(best 2 <"$tmp/plain.ours")" "$(best 2 <"$tmp/plain.theirs")" ms ""
row "import and usage by user; other: qacct -o" "$(sum "$import_ms" "$ask_ms")" "$qacct_ms" ms 1.0
row "usage by user alone; other: qacct -o" "$ask_ms" "$qacct_ms" ms 0.02
row "the unchanged file again (median of $again)" "$again_ms" "" ms 50

heading "peak memory of an import"
for n in $memory_rows; do
    file=$(accounting "$n") || exit 1
    note "memory, $n rows"
    peak=$(import_stint "$file" | largest 3)
    row "$n rows" "$peak" "" KiB 1048576
done
rm -rf "$tmp/store" "$tmp/plain" "$tmp/csv.duckdb" "$tmp/csv.duckdb.wal" "$tmp/csv.sql"
