#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command line as people meet it: help, exit statuses, and what it says when something is wrong.
. "$(dirname "$0")/../support/sh.sh"

golden=$TESTS/golden
commands='import report jobs job doctor check quarantine demo'

# --- help -------------------------------------------------------------------------------------------

it 'alone it shows what there is'
expect_exit 0 stint
expect_no_err
for command in $commands; do
    expect_out_has "  $command "
done

it 'help, -h and --help are the same'
stint >alone
for word in help -h --help; do
    expect_exit 0 stint $word
    expect_same alone "$OUT"
done

for command in $commands; do
    it "help $command explains it"
    expect_exit 0 stint help "$command"
    expect_no_err
    expect_out_has "usage: stint $command"
    expect_out_has 'Examples:'
    stint help "$command" >explained
    it "$command -h does, too, whatever else is there"
    expect_exit 0 stint "$command" -h
    expect_same explained "$OUT"
    expect_exit 0 stint "$command" --help --store /nowhere
    expect_same explained "$OUT"
done

it 'help of help is help'
expect_exit 0 stint help help
expect_exit 0 stint help -h
expect_exit 0 stint help completion

it 'help of nothing known is wrong usage'
expect_exit 2 stint help reprot
expect_err_has "there is no command 'reprot'; did you mean 'stint report'?"

it 'the version'
expect_exit 0 stint version
expect_out_has 'stint '
stint version >said
expect_exit 0 stint --version
expect_same said "$OUT"

# --- wrong usage: status 2, a sentence, nothing on stdout -------------------------------------------

wrong() { # WORDS SENTENCE: the words are split
    it "stint $1"
    # shellcheck disable=SC2086 # words
    expect_exit 2 stint $1
    expect_no_out
    expect_err_has "$2"
}

wrong frobnicate "there is no command 'frobnicate'; see: stint help"
wrong jops "there is no command 'jops'; did you mean 'stint jobs'?"
wrong verison "did you mean 'stint version'?"
wrong '--frobnicate x report jobs' 'the command comes first, then its options: stint COMMAND --frobnicate ...'
wrong report 'MEASURE[,...] is missing (what to measure: jobs, jobs_submitted'
wrong 'report nothing' "there is no measure 'nothing'; see them all with: stint measures"
wrong 'report jobs --by usr' "there is no dimension 'usr'; did you mean 'user'?"
wrong 'report jobs --every minute' "--every cannot be 'minute': choose one of: hour day week month quarter year"
wrong 'report jobs --format xml' "--format cannot be 'xml': choose one of: table csv tsv json jsonl markdown parquet html svg png"
wrong 'report jobs --zone Mars/Olympus' "--zone: there is no time zone 'Mars/Olympus': write a name of the tz database"
wrong 'report jobs --zone ../etc/passwd' '--zone'
wrong 'report jobs --from 2025-02-30' 'the days of 2025-02 are 01 to 28'
wrong 'report jobs --from 2025-03 --to 2025-02' 'the period is empty'
wrong 'report jobs --from 2999' 'years are 1970 to 2260'
wrong 'report jobs --user ,' 'the filter on user is empty: name a value, or leave it out'
wrong 'report jobs --cpus many' "cannot read 'many' as a value of cpus: write a number like 8"
wrong 'report jobs --usr x' 'there is no option --usr; did you mean --user?'
wrong 'report jobs --no x' '--no is ambiguous: it could be --no-rollups, --node, --nodes, --node_count, --no-formulas, --no-header'
wrong 'report jobs -y' 'there is no option -y; see: stint help report'
wrong 'report jobs --top x' "--top needs a whole number, not 'x'"
wrong 'report jobs --top' '--top needs a value (N)'
wrong 'report jobs --top 3 --every day' 'leave out --every'
wrong 'jobs --fields usr' "there is no field 'usr'; did you mean 'user'?"
wrong 'jobs extra' "unexpected argument 'extra'; see: stint help jobs"
wrong 'job' 'ID is missing (job number'
wrong 'job 1..x' "cannot read 'x' as a value of job: write a number like 8, a range like 8..64, or >8"
wrong 'import' 'SOURCE is missing (format of the files, or auto to detect it'
wrong 'books' 'ACTION is missing (what to do: history, dump, restore); see: stint help books'
wrong 'import accounting -M alder' "FILE is missing after SOURCE 'accounting' (accounting file"
wrong 'import slrm x' "there is no source 'slrm'"
wrong 'import sge x --on-error shrug' 'choose one of: quarantine stop'
wrong 'completion' 'completion needs a shell: bash, zsh or fish'
wrong 'completion tcsh' "there is no completion for 'tcsh': choose one of: bash zsh fish"

it 'a wrong word makes no store'
expect_exit 1 test -e "$STINT_STORE"

# --- failures: status 1 -----------------------------------------------------------------------------

it 'without a store there is a way to begin'
for words in 'report jobs' jobs 'job 1' quarantine; do
    # shellcheck disable=SC2086 # words
    expect_exit 1 stint $words
    expect_no_out
    expect_err_has "there is no store in '$STINT_STORE' yet; import something first, for example: stint import auto"
done

it 'and for what no file tells: to ask a scheduler'
for words in nodes queue 'nodes --history -w n1' 'queue --by user'; do
    # shellcheck disable=SC2086 # words
    expect_exit 1 stint $words
    expect_no_out
    expect_err_has "there is no store in '$STINT_STORE' yet"
    expect_err_has 'first list it in stint.conf (see: stint config example), then run: stint pull'
done
printf '[cluster oak]\nscheduler = slurm\n' >oak.conf
expect_exit 1 stint nodes --config oak.conf
expect_err_has 'nodes are learnt by asking a scheduler that runs: stint pull'

it 'a key that is misspelt is named, with what may have been meant'
printf '[cluster oak]\nschduler = slurm\n' >wrong.conf
expect_exit 1 stint config check --config wrong.conf
expect_err_has "line 2: there is no key 'schduler'; did you mean 'scheduler'?"
printf '[cluster oak]\nscheduler = slrum\n' >wrong.conf
expect_exit 1 stint config check --config wrong.conf
expect_err_has "there is no scheduler 'slrum'; did you mean 'slurm'? the schedulers are: htcondor nomad pbs sge slurm"
printf '[cluster oak]\nevery = 5\n' >wrong.conf
expect_exit 1 stint config check --config wrong.conf
expect_err_has "this section needs 'scheduler = ...', one of: htcondor nomad pbs sge slurm"
expect_exit 0 stint config example
expect_out_has '# which scheduler it runs (htcondor nomad pbs sge slurm)'

it 'the doctor says the same'
expect_exit 1 stint doctor
expect_out_has TROUBLE
expect_no_err

it 'a file that is not there'
expect_exit 1 stint import sge nowhere
expect_err_has "cannot open 'nowhere': No such file or directory"

it 'an empty store gives an answer and a hint'
head -n 3 "$golden/alder.accounting" >remarks
expect_exit 0 stint import sge --cluster toy remarks
expect_exit 0 stint report jobs,cpu_hours
expect_out_has 'the store has no runs yet; to import some: stint import'

it 'records that are rejected are a status'
expect_exit 1 stint import sge --cluster alder "$golden/alder.accounting"
expect_out_has '2 rejected, first at line 13'
expect_no_err

it 'the same file again has nothing to reject'
expect_exit 0 stint import sge --cluster alder "$golden/alder.accounting"

it 'a period without data says where they are'
expect_exit 0 stint report jobs --from 2020
expect_out_has 'no runs in this period: the store has runs from 2024-03-28T08:00:00Z to 2024-04-01T00:00:00Z'

# --- options in all their spellings -----------------------------------------------------------------

it 'spellings of one question'
stint report cpu_hours --by user --from 2024-03-28 --to 2024-04-02 --user mira,otto --format csv >wanted
same() {
    expect_exit 0 stint "$@"
    expect_same wanted "$OUT"
}
same report cpu_hours -b user -S 2024-03-28 -E 2024-04-02 -u mira,otto --format=csv
same report --format csv -buser -S2024-03-28 -E2024-04-02 -umira,otto cpu_hours
same report cpu_hours --by=user --fr=2024-03-28 --to=2024-04-02 --us 'mira, otto' --form csv
same report --by user --from 2024-03-28 --to 2024-04-02 --user '!lena,!j*' --format csv -- cpu_hours
same report cpu_hours --by user --from 2024-03-28 --to 2024-04-02 --user '[mo]*' --format csv --store "$STINT_STORE"

it 'bundled letters'
expect_exit 1 stint import sge -nM alder "$golden/alder.accounting"
expect_out_has Rejected

it 'the store by --store, by STINT_STORE, by the data folder'
if [ "$(id -u)" -ne 0 ]; then # root's is the site's: not to be looked into here
    expect_exit 1 env -u STINT_STORE HOME="$TMP" "$STINT" report jobs
    expect_err_has "'$TMP/.local/share/stint'"
    expect_exit 1 env -u STINT_STORE XDG_DATA_HOME="$TMP/data" "$STINT" report jobs
    expect_err_has "'$TMP/data/stint'"
fi
expect_exit 1 env STINT_STORE=/nowhere/else "$STINT" report jobs
expect_err_has "'/nowhere/else'"
expect_exit 0 env STINT_STORE=/nowhere/else "$STINT" report jobs --store "$STINT_STORE"

it 'quiet is data alone'
expect_out 'Jobs
────
   8' stint report jobs --from 2024 --quiet --format table --width 0 --cluster alder
expect_exit 0 stint report jobs --from 2024 --quiet
expect_exit 1 grep -q 'as of' "$OUT"

it 'no heading'
expect_out 'mira,36' stint report cpu_hours --by user -u mira --from 2024 --format csv --no-header

it 'plain ASCII'
expect_exit 0 stint report jobs --from 2024 --ascii
expect_exit 1 grep -q '─' "$OUT"

finish
