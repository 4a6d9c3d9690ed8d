#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Limits of a scheduler that follow the balances of the bank, with programs that pretend to be Slurm: one that dies, is slow,
# refuses, or answers nonsense, at any step. What a real one does is in test_enforce_slurm.sh.
. "$(dirname "$0")/../support/sh.sh"

# --- a Slurm that pretends ------------------------------------------------------------------------------

# Its accounts are files of limits/: what GrpTRESRunMins=billing is, empty for none; marks/ has stint's mark beside it, parents/ what an
# account is a part of, qos/ the limits of qualities of service that everybody may use. `calls` has what was asked. What
# stands in `trouble` is run by sacctmgr before it changes an account, whose name is $account.
mkdir bin limits marks parents qos jobs
pretend() { # PROGRAM: a shell script from standard input
    { echo '#!/bin/sh' && echo "cd '$TMP'" && cat; } >"bin/$1.new"
    chmod 755 "bin/$1.new" && mv "bin/$1.new" "bin/$1"
}
pretend scontrol <<'SCRIPT'
echo "scontrol" >>calls
case $* in
*partition*) echo 'PartitionName=cpu QoS=N/A Nodes=c1' ;;
*) echo 'AccountingStorageEnforce = associations,limits,qos,safe' ;;
esac
SCRIPT
honest_sshare() {
    pretend sshare <<'SCRIPT'
echo "sshare" >>calls
echo 'root||3600|billing=0'
for file in limits/*; do echo " ${file#limits/}||3600|cpu=0,billing=0"; done
SCRIPT
}
honest_sshare
honest_sacctmgr() {
    pretend sacctmgr <<'SCRIPT'
case " $* " in
*' show qos '*)
    echo 'sacctmgr show qos' >>calls
    cat qos/* 2>/dev/null || :
    ;;
*' show '*)
    echo 'sacctmgr show assoc' >>calls
    [ ! -e nonsense ] || { cat nonsense; exit 0; }
    echo 'root||||||||||'
    names=$(ls qos | tr '\n' ',')
    for file in limits/*; do
        account=${file#limits/} value=$(cat "$file")
        parent=$(cat "parents/$account" 2>/dev/null || echo root)
        list="cpu=99${value:+,billing=$value}$(cat "marks/$account" 2>/dev/null)"
        echo "$account|||$parent||$list|||$(cat "jobs/$account" 2>/dev/null)|$(cat "jobs/$account.mark" 2>/dev/null)|"
        echo "$account|ann||||||||| normal,${names%,}"
    done
    ;;
*' modify '*)
    in= mark= value= jobs=
    for word; do case $word in
        account=*) account=${word#*=} ;;
        GrpTRESRunMins=billing=*) value=${word##*=} ;;
        GrpTRESRunMins=pages=-1,vmem=-1) in=marks/$account ;;
        GrpTRESRunMins=pages=*) in=marks/$account mark=,${word#*=} ;;
        GrpJobs=*) jobs=${word##*=} ;;
        MaxTRES=pages=-1,vmem=-1) in=jobs/$account.mark ;;
        MaxTRES=pages=*) in=jobs/$account.mark mark=${word#*=} ;;
        esac; done
    echo "sacctmgr modify $account $value$jobs" >>calls
    . ./trouble
    [ -z "$in" ] || echo "$mark" >"$in"
    case $value in '') ;; -*) echo >"limits/$account" ;; *) echo "$value" >"limits/$account" ;; esac
    case $jobs in '') ;; -*) echo >"jobs/$account" ;; *) echo "$jobs" >"jobs/$account" ;; esac
    ;;
esac
SCRIPT
}
honest_sacctmgr
: >trouble

held() { grep -lx 0 limits/* | sed 's,limits/,,' | tr '\n' ' '; }
calls() { grep -c "$1" calls; }

# --- a bank ---------------------------------------------------------------------------------------------

conf() { # LINE...: more of [enforce rowan]
    { printf '[enforce rowan]\ndriver = slurm\nbin = %s\nmax_share = 100\n' "$TMP/bin" && printf '%s\n' "$@"; } >stint.conf
}
bank() { stint bank --config "$TMP/stint.conf" "$@"; }
enforce() { bank enforce "$@"; }
states() { cut -d, -f "$1" "$OUT" | sort | uniq -c | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }

# Ten accounts that have used an SU each and were granted none, b0 to b9, and one that has plenty. One run of an hour on
# one cpu each.
end=$(date +%s)
at() { date -d "@$((end - $1))" +%FT%T; } # so many seconds ago
{
    echo 'JobID|User|Account|State|NCPUS|Submit|Start|End'
    job=1
    for account in b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 rich; do
        echo "$job|ann|$account|COMPLETED|1|$(at 3700)|$(at 3660)|$(at 60)"
        job=$((job + 1))
        echo >"limits/$account"
    done
} >runs.txt
it 'a bank with ten accounts that are over, and one that is not'
conf
check stint import slurm --cluster rowan runs.txt
imported=$(date +%s)
check stint rate add all --cpu 1
for account in b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 rich; do
    bank open $account --from 2020-01-01 >/dev/null
done
check bank grant rich 1000 --from 2020-01-01

# --- what is shown --------------------------------------------------------------------------------------

it 'without --apply nothing is changed'
check enforce --format csv --no-header
expect_equal '10 planned' "$(states 11)"
expect_equal 0 "$(calls modify)"

it 'the number of calls does not depend on the number of accounts'
: >calls
check enforce
expect_equal '1 1 1 2' "$(calls sshare) $(calls 'sacctmgr show assoc') $(calls 'sacctmgr show qos') $(calls scontrol)"

it 'the plan is there as JSON'
check enforce --format json
expect_out_has '"from":null,"to":0,'

it 'limits lie beside what the bank shows'
check bank limits --format csv --no-header
expect_equal '10 differs 1 ok' "$(states 11)"
expect_out_has 'rowan,rich,account,rich,,hold,999,,1,0,ok,'
expect_out_has 'rowan,b0,account,b0,,hold,-1,,1,1,differs,'

it 'doctor complains'
run stint doctor --config "$TMP/stint.conf"
expect_out_has '10 limits of rowan differ'

# --- guards ---------------------------------------------------------------------------------------------

guarded() { # SENTENCE: nothing is changed, and that is why
    : >calls
    expect_exit 1 enforce --apply --format csv --no-header
    expect_equal '10 withheld' "$(states 11)"
    expect_out_has "$1"
    expect_equal 0 "$(calls modify)"
}

it 'the switch in stint.conf'
conf 'off = yes'
guarded 'switched off'

it 'the switch that is a file'
conf "stop_file = $TMP/stop"
: >stop
guarded "while '$TMP/stop' exists"
rm stop

it 'data that are too old'
conf 'max_age = 1'
until_true past $((imported + 2))
guarded 'max_age allows 1 second'

it 'data that are missing'
conf
check stint gap add --cluster rowan --from 2020-01-01 --what 'disk full'
guarded 'data of the time before now are missing'
check stint gap remove 1

it 'too many in one go'
conf 'max_accounts = 9'
guarded 'max_accounts and max_share allow 9'

it 'metrics have the drift that was found'
check stint metrics
expect_out_has 'stint_bank_drift_su{cluster="rowan",account="b0"} 1'
expect_out_has 'stint_bank_drift_su{cluster="rowan",account="rich"} 0'

it 'an account that is never touched'
conf 'never = b*'
expect_exit 0 enforce --apply --format csv --no-header
expect_equal '10 left alone' "$(states 11)"
expect_equal 0 "$(calls modify)"

# --- trouble --------------------------------------------------------------------------------------------

# anew: nothing is held, and nothing is known of it.
anew() {
    bank release --apply >/dev/null
    for file in limits/*; do echo >"$file"; done
    rm -f marks/* jobs/* parents/* qos/*
    : >trouble
    : >calls
    rm -f nonsense count
}
# Counts the changes of a run; then what is to happen at the fifth.
# shellcheck disable=SC2016 # it is expanded when it is run
count='n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n >count;'
fifth="$count [ \$n -ne 5 ] ||"

completes() { # the next run does the rest, and no more than that
    : >trouble
    : >calls
    check enforce --apply --format csv --no-header
    expect_equal "$1" "$(calls modify)"
    expect_equal 'b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 ' "$(held)"
    check enforce --apply --format csv --no-header
    expect_no_out
    check bank release --apply --format csv --no-header
    expect_equal '10 done' "$(states 11)"
    expect_equal '' "$(held)"
}

it 'ten are held, and let go again'
conf
anew
check enforce --apply --format csv --no-header
expect_equal '10 done' "$(states 11)"
expect_equal 'b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 ' "$(held)"
# ACCOUNT DRIFT of those that are not 0
drifts() {
    stint metrics | sed -n 's/^stint_bank_drift_su.*account="\([a-z0-9]*\)"} /\1 /p' | grep -v ' 0$' | tr '\n' ' '
}
expect_equal '' "$(drifts)" # what is left once it was carried out
completes 0

it 'one that is refused is said, the others are done'
anew
echo "$fifth { echo 'sacctmgr: error: no permission' >&2; exit 1; }" >trouble
expect_exit 1 enforce --apply --format csv --no-header
expect_equal '9 done 1 failed' "$(states 11)"
expect_out_has 'no permission'
expect_equal 'b4 1 ' "$(drifts)"
expect_equal 'b0 b1 b2 b3 b5 b6 b7 b8 b9 ' "$(held)"
completes 1

it 'one that dies from the fifth on is left in peace'
anew
echo "$count [ \$n -lt 5 ] || exit 9" >trouble
expect_exit 1 enforce --apply --format csv --no-header
expect_equal '4 done 2 failed 4 not tried' "$(states 11)"
expect_equal 'b0 b1 b2 b3 ' "$(held)"
completes 6

it 'one that says yes and does nothing is found out'
anew
echo "$fifth exit 0" >trouble
expect_exit 1 enforce --apply --format csv --no-header
expect_equal '9 done 1 failed' "$(states 11)"
expect_out_has 'says something else afterwards'
completes 1

it 'one that does it and says no has done it'
anew
echo "$fifth { echo 0 >limits/\$account; echo \"\$mark\" >\"\$in\"; exit 1; }" >trouble
expect_exit 0 enforce --apply --format csv --no-header
expect_equal '10 done' "$(states 11)"
completes 0

it 'one that is slow is not waited for'
anew
conf 'timeout = 30'
echo "$fifth sleep 36000" >trouble # longer than this test may take
expect_exit 1 enforce --apply --format csv --no-header
expect_equal '9 done 1 failed' "$(states 11)"
expect_out_has 'within 30 seconds'
conf
completes 1

it 'nonsense before the first step changes nothing'
anew
echo 'slurmdbd: Connection refused' >nonsense
expect_exit 1 enforce --apply
expect_err_has "rowan: 'sacctmgr' printed a line with too few columns"
expect_equal 0 "$(calls modify)"
rm nonsense
completes 10

it 'nonsense half way: what was done is recorded, and nobody is held by mistake'
anew
echo "$fifth head -c 300 /dev/urandom >nonsense" >trouble
expect_exit 0 enforce --apply --format csv --no-header
expect_equal '10 done' "$(states 11)"
rm nonsense
completes 0

it 'an answer that is cut off holds nobody'
anew
printf 'root||||||||||\nb0|||root||' >nonsense
expect_exit 1 enforce --apply
expect_err_has 'in the middle of a line'
expect_equal '' "$(held)"
rm nonsense

it 'without sshare nobody is held'
pretend sshare <<'SCRIPT'
echo 'sshare: error: Unable to contact slurm controller' >&2
exit 1
SCRIPT
expect_exit 1 enforce --apply
expect_err_has 'Unable to contact slurm controller'
expect_equal '' "$(held)"
honest_sshare

it 'a Slurm that does not enforce limits is said to be one'
mv bin/scontrol bin/scontrol.good
pretend scontrol <<'SCRIPT'
echo 'AccountingStorageEnforce = associations'
SCRIPT
expect_exit 1 enforce --apply
expect_err_has 'Slurm does not enforce limits'
mv bin/scontrol.good bin/scontrol

# --- killed ---------------------------------------------------------------------------------------------

# The fifth step kills whoever takes it: before it has changed anything, or after.
for when in before after; do
    it "killed at the fifth step, $when it is done: the next run completes"
    anew
    did=:
    [ $when = before ] || did="echo 0 >limits/\$account; echo \"\$mark\" >\"\$in\""
    # its process group is its own: what it is killed by is its parent
    echo "$fifth { $did; kill -KILL \$PPID; exit 1; }" >trouble
    run enforce --apply
    expect_equal 137 "$status"
    [ $when = before ] && completes 6 || completes 5
done

# --- what was set before --------------------------------------------------------------------------------

it 'what was set before is restored, and other resources stay as they are'
anew
echo 777 >limits/b3
check enforce --apply
expect_equal 0 "$(cat limits/b3)"
check bank grant b3 10
: >calls
check enforce --apply --format csv --no-header
expect_out_has 'rowan,b3,account,b3,,hold,restore,0,777,777,done,'
expect_equal 777 "$(cat limits/b3)"
expect_equal 1 "$(calls modify)"

it 'what somebody else has set since stays'
echo 5 >limits/b4
check bank release b4 --apply --format csv --no-header
expect_out_has 'somebody else has set another limit since'
expect_equal 5 "$(cat limits/b4)"

it 'release restores all of it'
check bank release --apply
expect_equal '' "$(held)"

# --- what stint set, stint undoes -----------------------------------------------------------------------

doctor() { run stint doctor --config "$TMP/stint.conf" --format csv --no-header; }
it 'an account whose tree changed while it was held is released, and said to be left alone'
anew
check enforce --apply
expect_equal 'b0 b1 b2 b4 b5 b6 b7 b8 b9 ' "$(held)"
echo >limits/lab
echo b5 >parents/lab # draws on no account of the bank
check bank limits b5 --format csv --no-header
expect_out_has ',differs,'
check enforce --apply --format csv --no-header
expect_equal 'rowan,b5,account,b5,,hold,restore,0,,,done,' "$(cat "$OUT")"
expect_equal 'b0 b1 b2 b4 b6 b7 b8 b9 ' "$(held)"
check enforce --apply --format csv --no-header
expect_out_has "rowan,b5,account,b5,,hold,none,,,,left alone,\"account 'lab' in it draws on another account"
doctor
expect_out_has "1 of 11 limits have no balance and are left alone, 'b5'"
rm limits/lab parents/lab

it 'books that are older than a hold: the mark at the scheduler tells whose it is'
anew
check stint books dump --output before.json
echo 600 >limits/b2
check enforce --apply
expect_equal ',pages=602,vmem=1' "$(cat marks/b2)"
old=$TMP/store
STINT_STORE=$TMP/other
export STINT_STORE
check stint books restore before.json
check stint import slurm --cluster rowan runs.txt
check bank grant b2 1000 --from 2020-01-01
: >calls
check enforce --apply --format csv --no-header
expect_equal 'rowan,b2,account,b2,,hold,restore,0,600,600,done,' "$(cat "$OUT")"
expect_equal '' "$(cat marks/b2)"
check bank release --apply
expect_equal '' "$(held)"
STINT_STORE=$old

it 'a stop that nobody knows of is said, with what takes it away'
anew
echo 0 >limits/rich
check enforce --apply --format csv --no-header
expect_out_has 'rowan,rich,account,rich,,hold,none,0,,,not ours,nothing may start by a GrpTRESRunMins=billing'
expect_out_has 'sacctmgr modify account where cluster=rowan account=rich set GrpTRESRunMins=billing=-1'
expect_equal 0 "$(cat limits/rich)"
doctor
expect_out_has "1 of 11 limits are stopped though they have balance, 'rich'"
expect_equal 1 "$status"
check bank limits rich --format csv --no-header
expect_out_has ',not ours,'
echo >limits/rich
check bank limits rich --format csv --no-header
expect_out_has ',ok,'

it 'a limit that somebody sets during a hold is what comes back'
anew
check enforce --apply
echo 44 >limits/b6
check enforce --apply --format csv --no-header
expect_equal 'rowan,b6,account,b6,,hold,set,44,0,0,done,' "$(cat "$OUT")"
check bank release b6 --apply
expect_equal '44 ' "$(cat limits/b6) $(cat marks/b6)"

# --- qualities of service ---------------------------------------------------------------------------------

it 'where a quality of service has the limit itself, an account is held by the number of its jobs'
anew
echo 'run||billing=1000|||1.000000' >qos/run
check enforce --apply --format csv --no-header
expect_out_has 'rowan,b1,account,b1,,jobs,set,,0,0,done,'
expect_equal '0 pages=1,vmem=1 ' "$(cat jobs/b1) $(cat jobs/b1.mark) $(cat limits/b1)"
check enforce --apply --format csv --no-header
expect_no_out
check bank release --apply
expect_equal ' ' "$(cat jobs/b1) $(cat jobs/b1.mark)"

it 'books that are older than such a hold know it by its mark'
anew
echo 'run||billing=1000|||1.000000' >qos/run
check stint books dump --output older.json
check enforce --apply
expect_equal '0 pages=1,vmem=1' "$(cat jobs/b1) $(cat jobs/b1.mark)"
old=$STINT_STORE
STINT_STORE=$TMP/another
check stint books restore older.json
check stint import slurm --cluster rowan runs.txt
check bank release --apply --format csv --no-header
expect_out_has 'rowan,b1,account,b1,,jobs,restore,0,,,done,'
expect_equal ' ' "$(cat jobs/b1) $(cat jobs/b1.mark)"
STINT_STORE=$old

it 'and where it has both, that is said'
echo 'run||billing=1000||7|1.000000' >qos/run
check bank limits b1 --format csv --no-header
expect_out_has "jobs in the QOS 'run' start nevertheless: its own GrpTRESRunMins=billing counts"
doctor
expect_out_has "limits do not stop every job, 'b3': jobs in the QOS 'run' start nevertheless"

it 'usage that the scheduler counts by a factor that no rate has'
anew
printf 'high|||||2.000000\nlow|||||0.500000\n' >qos/high
check bank limits b1
expect_equal '' "$(grep 'the scheduler counts' "$OUT")"
check stint rate add recorded --how recorded --partition none
check bank limits b1
expect_out_has "rowan: the scheduler counts the usage of the QOS 'high' 2 times, and no rate charges it so"
doctor
expect_out_has "the usage of the QOS 'high' 2 times"
check stint rate add high --how recorded --qos high --factor 2
check bank limits b1
expect_equal '' "$(grep 'the scheduler counts' "$OUT")"
anew

# --- a program of the site ------------------------------------------------------------------------------

it 'a program of the site gets the plan as JSON'
pretend site <<'SCRIPT'
[ ! -e refuse ] || { echo 'not today' >&2; exit 1; }
cat >plan.json
SCRIPT
printf '[enforce rowan]\ndriver = program\nprogram = %s\nmax_share = 100\n' "$TMP/bin/site" >stint.conf
check bank grant b0 100
: >refuse
expect_exit 1 enforce --apply --format csv --no-header
expect_equal '8 failed' "$(states 11)"
expect_out_has 'not today'
rm refuse
check enforce --apply --format csv --no-header
expect_equal '8 done' "$(states 11)"
expect_equal 8 "$(grep -o '"to":0' plan.json | wc -l)"
expect_equal '{"cluster":"rowan","mode":"hold","steps":[{"account":"b1","kind":"account","name":"b1","from":null,"to":0}' "$(cut -d, -f 1-7 plan.json)"
check enforce --apply --format csv --no-header
expect_no_out
check bank grant b1 100
check enforce --apply --format csv --no-header
expect_out_has 'rowan,b1,account,b1,,hold,restore,0,,,done,'

it 'without a section there is nothing to enforce'
: >stint.conf
expect_exit 2 enforce
expect_err_has 'stint.conf has no section [enforce NAME]'

finish
