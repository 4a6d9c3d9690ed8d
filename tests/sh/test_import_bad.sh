#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Files that are not what they should be: a sentence, status 1, and nothing of them in the store.
. "$(dirname "$0")/../support/sh.sh"

F=$TESTS/fixtures/import

totals() { stint report jobs,cpu_hours --by cluster,user --sort user --from 1970 --to 2100 --format csv; }

# refused FILE TEXT [ARGUMENT...]: not imported, said so, and the totals are as before.
refused() {
    t_file=$1
    t_text=$2
    shift 2
    expect_exit 1 stint import sge --cluster c "$@" "$t_file"
    expect_no_out
    expect_err_has "$t_text"
    t_next_name "one sentence about '$t_file'"
    if [ "$(wc -l <"$ERR")" -eq 1 ] && ! grep -qE 'Sanitizer|runtime error' "$ERR"; then
        t_ok "$t_this"
    else
        t_fail "$t_this" "$(t_heard)"
    fi
    expect_out before.csv totals
}

stint import sge --cluster c "$F/accounting" >/dev/null
totals >before.csv

it 'a file that is not there'
refused nowhere "cannot open 'nowhere': No such file"

it 'a folder'
mkdir folder
refused folder "cannot read 'folder': it is a folder"

it 'an empty file'
: >empty
refused empty "'empty' is empty: there is nothing to import"

it 'a file that may not be read'
cp "$F/accounting.more" secret
chmod 0 secret
# Root may read everything, unless it gives that up.
modest=
[ "$(id -u)" -ne 0 ] || modest='setpriv --bounding-set=-dac_override,-dac_read_search'
# shellcheck disable=SC2086 # several words, as below
expect_exit 1 $modest "$STINT" import sge --cluster c secret
expect_err_has "cannot open 'secret': Permission denied"
expect_out before.csv totals

it 'noise'
head -c 1000000 /dev/urandom >noise
refused noise "'noise' does not look like sge"

it 'zeros'
head -c 20000000 /dev/zero >zeros
refused zeros "nothing in 'zeros' could be read as sge"

it 'megabytes without a line end'
head -c 5000000 /dev/zero | tr '\0' x >one-line
refused one-line "nothing in 'one-line' could be read as sge"

it "Slurm's"
refused "$F/sacct" 'it looks like slurm: stint import slurm'

it "PBS's"
refused "$F/pbs" 'does not look like sge'

it 'noise after a head that looks right'
{ echo '# Version: 8.1.9'; head -c 100000 /dev/zero | tr '\0' '#'; echo; head -c 300000 /dev/urandom; echo; } >masked
refused masked "nothing in 'masked' could be read as sge, so nothing was imported; line "

it 'half a gzip file'
stint demo --out demo --runs 3000 --from 2024-01-01 --to 2024-03-31 --seed 5 >/dev/null 2>&1
gzip -c demo/alder/accounting >demo.gz
head -c 100000 demo.gz >half.gz
refused half.gz "cannot read 'half.gz': the gzip data is cut short"

it 'a damaged gzip file'
{ head -c 90000 demo.gz; echo damage; tail -c +90008 demo.gz; } >damaged.gz
refused damaged.gz "cannot read 'damaged.gz': broken gzip data"

it 'half a zstd file'
zstd -qc demo/alder/accounting | head -c 80000 >half.zst
refused half.zst "cannot read 'half.zst': the zstd data is cut short"

it 'many megabytes of zeros in a small file'
head -c 100000000 /dev/zero | gzip -1 -c >bomb.gz
refused bomb.gz "nothing in 'bomb.gz' could be read as sge"

it 'an unknown source'
expect_exit 2 stint import slurn "$F/accounting"
expect_err_has "slurn"

# --- bad rows in a good file ------------------------------------------------------------------------

it 'numbers beyond all measure'
row=$(sed -n '5p' "$F/accounting")
{
    # slots, cpu time, start, end, task, exit status
    echo "$row" | awk -F: -v OFS=: '{ $6 = 101; $35 = "99999999999999999999"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 102; $35 = "16777217"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 103; $11 = "9223372036854775807"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 104; $10 = "-9223372036854775808"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 105; $37 = "1e308"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 106; $37 = "99999999999999999999999.5"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = "99999999999999999999999"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 108; $35 = "-1"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 109; $35 = "16777216"; $10 = 1; $11 = "9199999999"; print }'
    echo "$row" | awk -F: -v OFS=: '{ $6 = 110; print }'
} >huge
STINT_STORE=$TMP/huge-store
expect_exit 1 stint import sge --cluster c huge
expect_no_err
run stint quarantine --format csv --no-header
expect_out_has 'impossible number of cpus: 16777217'
expect_out_has 'impossible amount: 16777216 cpus for 106481 days'
expect_out '110,1' stint jobs -j 110 -o job,cpus --format csv --no-header

it 'no row is lost: each is in the store or in quarantine'
stored=$(stint jobs --from 1970 --to 2200 -o job --format csv --no-header | sort -u | wc -l)
bad=$(stint quarantine --format csv --no-header | wc -l)
expect_equal 10 $((stored + bad))

it 'sums over what is left do not overflow'
check stint report jobs,cpu_hours,wall_hours --by user --every year --from 1970 --to 2200 --format csv

it 'bad rows are kept aside with file, line, byte, reason and their bytes'
STINT_STORE=$TMP/bad-store
{
    sed -n '1,5p' "$F/accounting"
    printf 'all.q:n01:cut short\n'
    sed -n '6p' "$F/accounting"
    printf 'tab\tquote"comma,\r\n'
    sed -n '7p' "$F/accounting"
} >bad
expect_exit 1 stint import sge --cluster c bad
expect_out_has 'bad: 2 rejected, first at line 6: has 3 fields'
expect_out_has 'stint quarantine'
byte1=$(sed -n '1,5p' bad | wc -c)
byte2=$(sed -n '1,7p' bad | wc -c)
stint quarantine --format jsonl >quarantined
expect_exit 0 grep -q "\"path\":\"$TMP/bad\",\"line\":6,\"byte\":$byte1,\"reason\":\"has 3 fields" quarantined
expect_exit 0 grep -q '"record":"all.q:n01:cut short"' quarantined
expect_exit 0 grep -q "\"line\":8,\"byte\":$byte2,\"reason\":\"has 1 field" quarantined
expect_exit 0 grep -qF '"record":"tab\tquote\"comma,"' quarantined

it 'the byte is where the row is'
expect_equal 'all.q:n01:cut short' "$(tail -c +$((byte1 + 1)) bad | head -n 1)"

it 'doctor mentions them'
run stint doctor --format csv
expect_out_has '2 records could not be read'

it 'they can be forgotten'
expect_out 'forgotten
2' stint quarantine --clear --format csv
check stint quarantine --format csv --no-header
expect_no_out

it 'importing again does not bring them back'
check stint import sge --cluster c bad

it 'a row of ten megabytes is one bad row'
STINT_STORE=$TMP/long-store
{
    sed -n '1,5p' "$F/accounting"
    head -c 10000000 /dev/zero | tr '\0' y
    echo
    sed -n '6,7p' "$F/accounting"
} >long
expect_exit 1 stint import sge --cluster c long --dry-run
expect_out_has 'first at line 6: longer than'
expect_exit 1 stint import sge --cluster c long --format csv --no-header
expect_equal "long,new,3,3,0,0,0,1" "$(cut -d, -f1-8 "$OUT")"

it 'the first bad row can end it'
STINT_STORE=$TMP/stop-store
expect_exit 1 stint import sge --cluster c --on-error stop bad
expect_no_out
expect_err_has "'bad' line 6: has 3 fields"

it 'and then nothing of the file is there'
expect_out 'cluster,jobs' stint report jobs --by cluster --from 1970 --to 2100 --format csv

it 'a file without bad rows is imported all the same'
check stint import sge --cluster c --on-error stop "$F/accounting"

it 'a dry run says what would be rejected'
STINT_STORE=$TMP/none
expect_exit 1 stint import sge --cluster c --dry-run bad --format csv --no-header
expect_equal "bad,new,3,,,,0,2" "$(cut -d, -f1-8 "$OUT")"
expect_exit 1 test -e none

it 'a name that was mistyped makes no store'
expect_exit 1 stint import sge --cluster c nowhere
expect_exit 1 test -e none

finish
