#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What records, names of files and arguments hold does nothing to a terminal or a spreadsheet; what is read from a pipe or
# from a scheduler does not hang and does not fill the disk.
. "$(dirname "$0")/../support/sh.sh"

red=$(printf '\033[31mred')
shown='\x1b[31mred'

for field in job user account cpus submit start end state; do echo "$field = $field"; done >map
{
    echo job,user,account,cpus,submit,start,end,state
    printf '1,%s,%s,4,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n' "$red" "$red"
    printf '2,=cmd(),acc2,4,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n'
    printf '3,a\342\200\213b,acc3,4,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n'
    printf '4,a\342\200\256b,acc4,4,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n'
    printf '5,\357\273\277ab,acc5,4,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n'
    printf '6,ann,acc6,%s,2024-05-01T00:00:00Z,2024-05-01T00:00:00Z,2024-05-01T10:00:00Z,done\n' "$red"
} >runs.csv

no_escape() { ! grep -q "$(printf '\033')" "$OUT" "$ERR"; }

# --- a terminal --------------------------------------------------------------------------------------

it 'records: in the notes of an import and in tables'
expect_exit 1 stint import csv --map map --cluster c runs.csv
expect_out_has "cpus '$shown' is not a number"
check no_escape
check stint report jobs --by user --from 2024 --to 2024
expect_out_has "$shown"
check no_escape
check stint quarantine
expect_out_has "$shown"
check no_escape

it 'characters without width, and those that turn the line, are shown'
check stint report jobs --by user --from 2024 --to 2024
expect_out_has 'a\u200bb'
expect_out_has 'a\u202eb'
expect_out_has '\ufeffab'

it 'sentences about arguments and files'
cp runs.csv "$red.csv"
for arguments in "$red" "report jobs --by $red" "import csv --map map $red" "jobs --from $red" "report jobs --store $red" \
    "help $red" "report $red" "import $red runs.csv" "config check --config $red" "import sge --cluster c $red.csv"; do
    # shellcheck disable=SC2086 # several words
    run stint $arguments
    expect_err_has "$shown"
    check no_escape
done

it 'the name of a file that is imported'
expect_exit 1 stint import csv --map map --cluster d "$red.csv"
expect_out_has "$shown.csv: 1 rejected"
check no_escape

it 'progress on a terminal'
if need_terminal; then
    script -qec "'$STINT' import csv --map map --cluster e --store other '$red.csv'" /dev/null >typed 2>&1
    expect_exit 1 grep -qF "$(printf '\033[31m')" typed
    expect_exit 0 grep -qF '\x1b[31m' typed
fi

# --- a spreadsheet -----------------------------------------------------------------------------------

it 'csv and tsv have formulas as text where that is asked'
users() { stint report jobs --by user --from 2024 --to 2024 --cluster c --no-header "$@" | sed -n 's/.*\(.=cmd()\|^=cmd()\).*/\1/p'; }
expect_out '=cmd()' users --format csv
expect_out "'=cmd()" users --format csv --no-formulas
expect_out "'=cmd()" users --format tsv --no-formulas

# --- other formats -----------------------------------------------------------------------------------

it 'csv, tsv and markdown show what a terminal would obey'
for format in csv tsv markdown; do
    check stint report jobs --by user --from 2024 --to 2024 --cluster c --format $format
    expect_out_has '\x1b'
    expect_out_has '[31mred'
    expect_out_has 'a\u202eb'
    check no_escape
done

it 'and have the bytes where these are asked for'
for format in csv tsv markdown; do
    check stint report jobs --by user --from 2024 --to 2024 --cluster c --format $format --raw
    expect_out_has "$(printf '\033')"
done

it 'labels of metrics'
check stint metrics
expect_out_has 'account="\\x1b[31mred"'
check no_escape

it 'what is exported from the books is read back as it was'
note=$(printf 'two\nlines\tand \342\200\214 no width')
check stint metagroup add chem --note "$note"
stint metagroup export --format csv >exported.csv
expect_exit 0 grep -q "$(printf '\342\200\214')" exported.csv
check stint metagroup import exported.csv --store copied
expect_equal "$(stint metagroup export --format json)" "$(stint metagroup export --format json --store copied)"
check stint metagroup list --format csv
expect_out_has 'two\nlines\tand \u200c no width'

# --- pipes -------------------------------------------------------------------------------------------

it 'a pipe to which nobody writes is no configuration'
mkfifo pipe
expect_exit 1 timeout 60 "$STINT" config check --config pipe
expect_err_has "cannot read 'pipe': it is a pipe to which nothing is written"

it 'one to which somebody writes is'
printf '[site]\nzone = UTC\n' >pipe &
check timeout 60 "$STINT" config show --config pipe
wait

it 'nor is it a token'
cat >stint.conf <<CONF
[cluster rowan]
scheduler = slurm
via = slurmrestd
address = http://127.0.0.1:9
user = stint
token_file = $TMP/pipe
CONF
expect_exit 1 timeout 60 "$STINT" pull --config "$TMP/stint.conf" --store rowan
expect_err_has "it is a pipe to which nothing is written"

# --- answers -----------------------------------------------------------------------------------------

it 'no jobs is an answer of Slurm where Slurm is named'
echo '{"jobs":[]}' >empty.json
check stint import slurm --cluster c --store slurm empty.json
echo '{"jobs": [], "errors": []}' >empty.json
check stint import slurm --cluster c --store slurm empty.json

it 'an answer larger than the setting is refused'
mkdir bin
for name in qstat qhost; do printf '#!/bin/sh\nhead -c 3000000 /dev/zero\n' >bin/$name; done
chmod +x bin/*
: >accounting
cat >stint.conf <<CONF
[cluster alder]
scheduler = sge
bin = $TMP/bin
accounting = $TMP/accounting
answer_mib = 1
CONF
expect_exit 1 stint pull --config "$TMP/stint.conf" --store alder
expect_err_has 'more than 1048576 bytes'

finish
