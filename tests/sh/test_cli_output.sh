#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where answers go: files written whole or not at all, pipes that close, disks that are full; and what
# other programs are given: completion scripts and manual pages.
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1

# --- --output ---------------------------------------------------------------------------------------

it 'an answer goes into a file'
stint report cpu_hours --by user --from 2024 --format csv >wanted
check stint report cpu_hours --by user --from 2024 --format csv --output answer.csv
expect_no_out
expect_no_err
expect_same wanted answer.csv

it 'a file that was there is replaced whole'
yes | head -n 100000 >answer.csv
check stint report cpu_hours --by user --from 2024 --format csv --output answer.csv
expect_same wanted answer.csv

it 'and keeps its mode'
chmod 640 answer.csv
check stint report cpu_hours --by user --from 2024 --format csv --output answer.csv
expect_equal 640 "$(stat -c %a answer.csv)"

it 'a failed question leaves the file as it was'
expect_exit 2 stint report nonsense --output answer.csv
expect_same wanted answer.csv
expect_exit 1 stint report jobs --store /nowhere --output answer.csv
expect_same wanted answer.csv

it 'nothing is left beside it'
expect_equal answer.csv "$(echo answer.csv*)"

it 'a folder that is not there'
expect_exit 1 stint report jobs --from 2024 --output nowhere/answer.csv
expect_err_has 'nowhere/answer.csv'
expect_err_has 'No such file or directory'

it 'every format into a file'
for format in table csv tsv json jsonl markdown parquet html svg; do
    check stint report jobs --by user --from 2024 --format $format --output "answer.$format"
    expect_exit 0 test -s "answer.$format"
done

it 'Parquet begins and ends as Parquet does'
expect_equal PAR1 "$(head -c 4 answer.parquet)"
expect_equal PAR1 "$(tail -c 4 answer.parquet)"

it 'Parquet on standard output is the same'
check sh -c '"$STINT" report jobs --by user --from 2024 --format parquet >piped.parquet'
expect_equal PAR1 "$(head -c 4 piped.parquet)"

it 'Parquet where it cannot be written'
expect_exit 1 stint report jobs --from 2024 --format parquet --output nowhere/answer.parquet
expect_err_has 'nowhere/answer.parquet'

it 'a table in a file has no colour and its full width'
if need_terminal; then
    # A terminal of 40 columns: the file does not care.
    TERM=xterm script -qec "stty cols 40; '$STINT' jobs --from 2024 --output '$TMP/jobs.txt'" /dev/null >/dev/null 2>&1 </dev/null
    expect_exit 0 grep -q 'a job with a rather long name' jobs.txt
    expect_exit 1 grep -q "$(printf '\033')" jobs.txt
    it 'a table on a terminal has both'
    TERM=xterm script -qec "stty cols 40; '$STINT' jobs --from 2024" /dev/null >seen 2>&1 </dev/null
    expect_exit 0 grep -q "$(printf '\033')" seen
    NO_COLOR=1 TERM=xterm script -qec "stty cols 40; '$STINT' jobs --from 2024" /dev/null >seen 2>&1 </dev/null
    expect_exit 1 grep -q "$(printf '\033')" seen
    it 'Parquet is not for a terminal'
    TERM=xterm script -qec "'$STINT' jobs --from 2024 --format parquet" /dev/null >seen 2>&1 </dev/null
    expect_exit 0 grep -q 'set a file with --output' seen
fi

it 'a narrow table leaves out its last columns and says so, and its notes are broken: by COLUMNS, by --width'
for width in COLUMNS=60 --width=60; do
    case $width in
    COLUMNS=*) COLUMNS=60 "$STINT" usage --by user --from 2024 --zone UTC --ascii >narrow 2>&1 ;;
    *) stint usage --by user --from 2024 --zone UTC --ascii $width >narrow 2>&1 ;;
    esac
    expect_exit 0 grep -q '^left out: ' narrow
    expect_exit 0 grep -q '^2024-01-01T00:00:00Z to ' narrow
    expect_equal '' "$(awk 'length($0) > 60' narrow)"
done
stint usage --by user --from 2024 --zone UTC --width 200 >wide 2>&1
expect_exit 1 grep -q '^left out: ' wide

it 'without a filter, the newest 50 runs on a terminal, and how many there are; all of them elsewhere'
stint demo --out recent --runs 300 --from 10d --to today --quiet >/dev/null 2>&1
check stint import sge --cluster a recent/alder/accounting --store recent.store --quiet
all=$(stint jobs --store recent.store --format csv --no-header | wc -l)
check test "$all" -gt 50
if need_terminal; then
    TERM=xterm script -qec "stty cols 200; '$STINT' jobs --store recent.store" /dev/null </dev/null | tr -d '\r' >seen
    expect_exit 0 grep -q "^the newest 50 of $all runs" seen
    expect_equal 50 "$(grep -c '^ *[0-9][0-9.]*  ' seen)"
fi

# --- trouble at the other end -----------------------------------------------------------------------

it 'a reader that leaves is no trouble'
check sh -c '"$STINT" help report | head -n 1'
expect_no_err
check sh -c '"$STINT" jobs --from 2024 --fields all --format csv | head -n 1'
expect_no_err

it 'a pipe nobody reads is said, where signals are not'
check sh -c '(trap "" PIPE; "$STINT" jobs --from 2024 --format csv; echo $? >status) | true'
if [ -s status ] && [ "$(cat status)" != 0 ]; then
    expect_equal 1 "$(cat status)"
    expect_err_has 'cannot write the answer'
fi

if [ -c /dev/full ]; then
    it 'a full disk is said'
    for words in 'report jobs --from 2024' 'jobs --from 2024 --format json' 'help' 'version' 'completion bash'; do
        expect_exit 1 sh -c "'$STINT' $words >/dev/full"
        expect_err_has 'No space left on device'
    done
    expect_exit 1 stint report jobs --from 2024 --output /dev/full
    expect_err_has 'No space left on device'
fi

it 'a closed standard output is said'
expect_exit 1 sh -c "'$STINT' report jobs --from 2024 >&-"
expect_err_has 'cannot write the answer'

# --- for shells -------------------------------------------------------------------------------------

it 'completion for bash is bash'
check stint completion bash
expect_no_err
stint completion bash >complete.bash
check bash -n complete.bash
completes() { # WANTED LINE...: what bash offers for the last word
    wanted=$1
    shift
    # shellcheck disable=SC2016 # for bash
    run bash -c '. ./complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stint
        printf "%s\n" "${COMPREPLY[@]}" | sort' bash "$@"
    expect_equal "$wanted" "$(tr '\n' ' ' <"$OUT" | sed 's/ $//')"
    expect_no_err
}
it 'bash completes'
completes 'job jobs' stint jo
completes 'node_hours' stint report node_h
completes 'cpu_hours,wait_hours' stint report cpu_hours,wait_h
completes '--every' stint report jobs --ev
completes 'day' stint report jobs --every d
completes 'day' stint report jobs -e d
completes 'user' stint report jobs --by use
completes 'cluster,user' stint report jobs --by cluster,use
completes 'id' stint jobs --fields id
completes 'json jsonl' stint report jobs --format js
completes 'auto' stint import a
completes 'bash' stint completion b
completes 'quarantine' stint help qua
completes '' stint job 47

it 'completion for zsh'
check stint completion zsh
expect_out_has '#compdef stint'
stint completion zsh >complete.zsh
check zsh -n complete.zsh

it 'completion for fish'
check stint completion fish
expect_out_has 'complete -c stint'
stint completion fish >complete.fish
check fish -n complete.fish

# --- manual pages -----------------------------------------------------------------------------------

for page in '' import report jobs job doctor check quarantine demo; do
    it "the manual page stint $page is good roff"
    # shellcheck disable=SC2086 # no page, no word
    stint help --man $page >page.1
    check groff -man -Tutf8 -ww -z page.1
    expect_no_err
done
it 'an installation has a manual page for each command, where man looks for those of a program in its PATH'
check cmake --install "$(dirname "$STINT")/.." --prefix "$TMP/prefix"
for name in '' $(stint help --names | sed 's/^/-/'); do
    expect_equal ".TH" "$(head -n 1 "prefix/share/man/man1/stint$name.1" | cut -c 1-3)"
done
expect_exit 0 grep -q '^\.TH' prefix/share/man/man1/stint-agent.1
it 'an installation has the licences of what it contains'
expect_exit 0 grep -q 'DuckDB Foundation' prefix/lib/stint/LICENSE.duckdb
expect_exit 0 grep -q 'MIT License' prefix/share/doc/stint/LICENSE
expect_exit 0 test -s prefix/share/doc/stint/THIRD_PARTY.md
rm -rf prefix

it 'a manual page reads like one'
stint help --man report >page.1
groff -man -Tascii -P -cbou page.1 >page.txt
check grep -q '^NAME' page.txt
check grep -q 'stint-report - report any measures by any dimensions' page.txt
check grep -q 'cpu_hours' page.txt

finish
