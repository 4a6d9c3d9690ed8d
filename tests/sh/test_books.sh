#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The commands about the books: what each does, and what each says when it cannot.
. "$(dirname "$0")/../support/sh.sh"

csv() { "$STINT" "$@" --format csv --no-header; }

it 'reading makes nothing'
check stint metagroup list
expect_out_has 'none is defined yet'
expect_exit 1 test -e store

# --- metagroup and member -----------------------------------------------------------------------------

it 'a metagroup is added and listed'
expect_out '1,science,Faculty of Science,' csv metagroup add science --full_name 'Faculty of Science'
check stint metagroup add physics
check stint metagroup add arts
expect_out 'id,name,full_name,note
1,science,Faculty of Science,
2,physics,,
3,arts,,' stint metagroup list --format csv
expect_out '2,physics,,
3,arts,,' csv metagroup list '*s' --full_name ''

it 'people see the columns that say something, scripts the same ones every time'
expect_exit 0 stint metagroup list physics
expect_equal 'Number Metagroup' "$(sed -n 1p "$OUT" | xargs)"
for format in csv tsv jsonl; do
    stint metagroup list science --format $format | tr '\t,' '\n\n' | grep -c '' >some
    stint metagroup list physics --format $format | tr '\t,' '\n\n' | grep -c '' >none
    expect_same some none
done

it 'not twice'
expect_exit 1 stint metagroup add physics
expect_err_has "metagroup 'physics' already exists as number 2; change it with: stint metagroup set"

it 'a membership has words, and days'
expect_out '1,science,metagroup,physics,,,' csv member add science metagroup physics
expect_out '2,physics,user,ann,,2025-06-30,' csv member add physics user ann --to 2025-Q2
expect_out '3,arts,user,ann,2025-07-01,,' csv member add arts user ann --from 2025-07-01
expect_out '4,physics,group,phys,,,' csv member add physics group phys

it 'the nearest metagroup is offered'
expect_exit 2 stint member add phsyics user bob
expect_err_has "there is no metagroup 'phsyics'; did you mean 'physics'?"

it 'two at once are refused, by name'
expect_exit 1 stint member add science user ann --from 2025-06-01
expect_err_has "user 'ann' would be in two metagroups at once: in 'physics' (until 2025-06-30), number 2, and in 'science' (from 2025-06-01 on)"

it 'a circle is refused with its path'
expect_exit 1 stint member add physics metagroup science
expect_err_has "'physics' in 'science' in 'physics'"

it 'an end before the beginning is refused'
expect_exit 2 stint member add arts user bob --from 2025-02 --to 2025-01
expect_err_has "'from' is 2025-02-01, 'to' is 2025-01-31"

it 'wrong words are refused'
expect_exit 2 stint member add arts person bob
expect_err_has "kind cannot be 'person': choose one of: user account group metagroup"
expect_exit 2 stint member add arts user
expect_err_has "'name' is missing"
expect_exit 2 stint member add arts user bob more
expect_err_has 'a membership is identified by metagroup kind name'
expect_exit 2 stint member add arts user bob --from soon
expect_err_has "cannot read period 'soon'"
expect_exit 2 stint member frob
expect_err_has "ACTION cannot be 'frob': choose one of: add set remove list export import"

it 'who is where is worked out'
expect_out 'user,ann,physics,science > physics,,2025-07-01T00:00:00Z
group,phys,physics,science > physics,,' csv metagroup show science
expect_exit 2 stint metagroup show sience
expect_err_has "did you mean 'science'?"

it 'one is changed by its words or its number'
expect_out '4,physics,group,phys,2024-01-01,,' csv member set physics group phys --from 2024
expect_out '4,physics,group,phys,,,' csv member set 4 --from ''
expect_exit 2 stint member set 4
expect_err_has 'set needs an option'
expect_exit 1 stint member set 44 --to 2025
expect_err_has 'there is no membership number 44'
expect_exit 2 stint member set physics group --to 2025
expect_err_has 'which membership? give metagroup kind name, or its number'
expect_exit 1 stint member set physics group chem --to 2025
expect_err_has 'there is no such membership'

it 'several of the same words want a number'
check stint member set 3 --to 2029
check stint member add science user ann --from 2030 --to 2030
check stint member add science user ann --from 2032
expect_exit 2 stint member remove science user ann
expect_err_has 'choose one by its number: 5 6'
check stint member remove 5
check stint member remove 6

it 'what others name cannot go'
expect_exit 1 stint metagroup remove physics
expect_err_has "metagroup 'physics' is in use: 2 memberships refer to it"
expect_exit 1 stint metagroup set physics --name phys
expect_exit 2 stint metagroup remove fysics
expect_err_has "did you mean 'physics'?"

it 'a list can be of a time'
expect_out '1,science,metagroup,physics
2,physics,user,ann
4,physics,group,phys' sh -c '"$STINT" member list --from 2025-06 --to 2025-06-30 --format csv --no-header | cut -d, -f1-4'

# --- the others ---------------------------------------------------------------------------------------

it 'people have logins'
expect_out '1,ann,Ann Smith,,,"ann,cedar:asmith",' csv people add ann --name 'Ann Smith' --logins ' cedar:asmith,ann'
expect_exit 1 stint people add bob --logins ann
expect_err_has "login 'ann' would belong to two people, 'ann' and 'bob'"
expect_exit 2 stint people set anne --name x
expect_err_has "did you mean 'ann'?"

it 'clusters have rules'
expect_out '1,alder,gpu*,,alder-gpu,' csv cluster add alder --node 'gpu*' --as alder-gpu
check stint cluster add alder --as Alder
expect_exit 2 stint cluster remove alder
expect_err_has 'choose one by its number: 1 2'
expect_exit 2 stint cluster add birch
expect_err_has "rule 'as' is missing"

it 'names are for dimensions'
expect_out '1,cluster,alder,Alder (2024),' csv name add cluster alder 'Alder (2024)'
expect_exit 2 stint name add clustre alder x
expect_err_has "there is no dimension 'clustre'; did you mean 'cluster'?"
check stint name add metagroup science Science
check stint name remove metagroup science

it 'gaps are told by their number'
expect_out '1,alder,2025-03-02,2025-03-04,log lost,' csv gap add --cluster alder --from 2025-03-02 --to 2025-03-04 --what 'log lost'
expect_out '2,,2025-04-01T10:00:00Z,2025-04-01T11:30:00Z,"no, ""power""",' csv gap add --from 2025-04-01T12:00 --to 2025-04-01T13:30 --what 'no, "power"' --zone Europe/Oslo
expect_out '1' sh -c '"$STINT" gap list --to 2025-03 --format csv --no-header | cut -d, -f1'
expect_exit 2 stint gap add --from 2025
expect_err_has "gap 'what' is missing"
expect_exit 2 stint gap remove
expect_err_has 'which gap? give its number'
check stint gap remove 1
expect_exit 1 stint gap remove 1
expect_err_has 'there is no gap number 1'

it 'targets are of measures'
expect_out '1,pledge,cpu_hours,2000000,,2025-01-01,2025-12-31,alder,,,,,' csv target add pledge --measure cpu_hours --amount 2e6 --from 2025 --to 2025 -M alder
check stint target add each --measure jobs --amount 1.5 --per month --metagroup science
expect_exit 2 stint target add x --measure cpu_huors --amount 1 --per year
expect_err_has "there is no measure 'cpu_huors'; did you mean 'cpu_hours'?"
expect_exit 2 stint target add x --measure jobs --amount lots --per year
expect_err_has "amount needs a number"
expect_exit 2 stint target add x --measure jobs --amount 5
expect_err_has '--per year'
expect_exit 2 stint target add x --measure jobs --amount 5 --per year --metagroup sciense
expect_err_has "did you mean 'science'?"

it 'options that say nothing are refused'
expect_exit 2 stint gap remove 2 --what x
expect_err_has '--what does not apply to this action'
expect_exit 2 stint people import people.csv --name x
expect_exit 2 stint people sync now
expect_err_has 'sync takes no arguments'
expect_exit 2 stint metagroup show science arts
expect_err_has 'show needs one metagroup'
expect_exit 2 stint books dump --of gap
expect_err_has '--of is for history only'
expect_exit 2 stint books history --replace
expect_err_has '--replace is for dump and restore only'

# --- sheets -------------------------------------------------------------------------------------------

it 'what is exported can be imported'
for kind in metagroup member people cluster name gap target; do
    for format in csv json jsonl; do
        stint $kind export --format $format >$kind.$format
        rows=$(csv $kind export | grep -c '^[0-9]')
        expect_out "$kind.$format,0,0,$rows" csv $kind import $kind.$format
        # and into other books, where all of it is new
        expect_out "$kind.$format,$rows,0,0" csv $kind import $kind.$format --store in.$format
        stint $kind export --format $format --store in.$format >again
        sed 's/^[0-9]*,//; s/"id":[0-9]*,//' $kind.$format >want
        sed 's/^[0-9]*,//; s/"id":[0-9]*,//' again >got
        expect_same want got
    done
done

it 'an import changes what differs and adds what is new'
printf 'person,name,affiliation\nann,Ann Smyth,Physics\nbob,Bob,\n' >people.csv
expect_out 'people.csv,1,1,0' csv people import people.csv
expect_out 'id,person,name,email,affiliation,logins,note
1,ann,Ann Smyth,,Physics,"ann,cedar:asmith",
2,bob,Bob,,,,' stint people list --format csv

it 'standard input and compressed files do'
expect_out -,0,0,2 sh -c '"$STINT" people import - --format csv --no-header <people.csv; true' 2>/dev/null
gzip -k people.csv
expect_out people.csv.gz,0,0,2 csv people import people.csv.gz

it 'a sheet with one bad row changes nothing'
printf 'person,name\ncarl,Carl\nann,"A\002"\n' >bad.csv
expect_exit 2 stint people import bad.csv
expect_err_has "'bad.csv': line 3: name contains a control character"
expect_exit 2 stint people list carl nobody
printf 'person,name\ncarl\n' >bad.csv
expect_exit 1 stint people import bad.csv
expect_err_has "'bad.csv': line 2: has 1 cells, but the header has 2"
printf 'persn\ncarl\n' >bad.csv
expect_exit 1 stint people import bad.csv
expect_err_has "did you mean 'person'?"
expect_exit 1 stint people import nowhere.csv
expect_exit 2 stint people import
expect_err_has 'import needs one FILE'
expect_equal 2 "$(csv people list | wc -l)"

it 'a sheet whose rows are good but not together changes nothing'
printf 'metagroup,kind,name\nscience,user,dora\narts,user,dora\n' >bad.csv
expect_exit 1 stint member import bad.csv
expect_err_has "user 'dora' would be in two metagroups at once"
expect_equal 0 "$(csv member list | grep -c dora)"

# --- hostile words ------------------------------------------------------------------------------------

it 'names may hold what they like, but lines and noise'
odd="a'b\"c;--%s\$(x) </b> é日"
check stint metagroup add "$odd"
expect_out "7,\"a'b\"\"c;--%s\$(x) </b> é日\"" sh -c '"$STINT" metagroup list --format csv --no-header | tail -n 1 | sed "s/^[0-9]*/7/; s/,*\$//"'
check stint metagroup remove "$odd"
expect_exit 2 stint metagroup add "two
lines"
expect_err_has 'name contains a control character (byte 4)'
expect_exit 2 stint metagroup add "$(printf 'j\366rg')"
expect_err_has 'name is not UTF-8'
expect_exit 2 stint metagroup add "$(printf 'x\033[2Jx')"
expect_exit 2 stint metagroup add ''
expect_err_has "'name' is missing"
expect_exit 2 stint metagroup add "$(head -c 100000 /dev/zero | tr '\0' x)"
expect_err_has 'name is 100000 bytes long: at most 1024 are kept'
{ printf 'name\n'; head -c 1048576 /dev/zero | tr '\0' x; echo; } >large.csv
expect_exit 2 stint metagroup import large.csv
expect_err_has 'line 2: name is 1048576 bytes long'

# --- the facts' logins --------------------------------------------------------------------------------

it 'people are taken from the facts'
STINT_STORE=$TMP/synced
export STINT_STORE
expect_exit 1 stint people sync
expect_err_has 'there is no store'
check stint import sge --cluster east "$TESTS/fixtures/import/accounting"
cut -d: -f4 "$TESTS/fixtures/import/accounting" | grep -v '^#' | grep . | sort -u >logins
check stint people sync
csv people list | cut -d, -f2 | sort >listed
expect_same logins listed
expect_equal '' "$(csv people sync)"
check stint import sge --cluster west "$TESTS/fixtures/import/accounting"
expect_equal '' "$(csv people sync)"
first=$(head -n 1 logins)
check stint people set "$first" --logins "east:$first"
check stint people sync
expect_out "west:$first" sh -c '"$STINT" people export --format csv --no-header | tail -n 1 | cut -d, -f2'
STINT_STORE=$TMP/store

# --- history, dump, restore -----------------------------------------------------------------------------

it 'history tells who did what'
me=$(id -un)
expect_out "$me,add,metagroup,1,,\"{\"\"name\"\":\"\"science\"\",\"\"full_name\"\":\"\"Faculty of Science\"\"}\"" sh -c \
    '"$STINT" books history --of metagroup --item 1 --format csv --no-header | cut -d, -f3-'
expect_out "set
set" sh -c '"$STINT" books history --of member --item 4 --format csv --no-header | cut -d, -f4 | tail -n 2'
expect_equal '' "$(csv books history --who nobody-of-that-name)"
expect_equal '' "$(csv books history --to 2020)"
expect_equal 2 "$(csv books history --from 1d -n 2 | wc -l)"
expect_exit 2 stint books history --of moon
expect_exit 2 stint books history some.json
expect_err_has 'only restore takes a FILE'

it 'a dump comes back'
check stint books dump --output dump.json
check stint books restore dump.json --store fresh
expect_exit 0 stint books dump --store fresh --output fresh.json --replace
expect_same dump.json fresh.json
expect_exit 1 stint books restore dump.json --store fresh
expect_err_has '--replace'
check stint metagroup add extra --store fresh
check stint books restore dump.json --store fresh --replace
expect_out_has 'the previous books are in'
expect_exit 0 grep -q extra fresh/books-before-*.json
expect_exit 0 stint books dump --store fresh --output fresh.json --replace
expect_same dump.json fresh.json
head -c 300 dump.json >half.json
expect_exit 1 stint books restore half.json --store other
expect_err_has "cannot restore 'half.json': it is not JSON"
expect_exit 2 stint books restore
expect_exit 1 stint books restore nowhere.json

# --- the file -------------------------------------------------------------------------------------------

it 'books of a newer stint are refused'
check sqlite3 fresh/books.sqlite 'pragma user_version = 42'
expect_exit 1 stint metagroup list --store fresh
expect_err_has 'newer stint (schema 42, this one knows'

it 'a file that is no database is refused'
mkdir wrong
echo 'once upon a time there was a file that was no database at all, and it was long enough' >wrong/books.sqlite
expect_exit 1 stint metagroup add x --store wrong
expect_err_has 'damaged or not an SQLite file'
expect_err_has 'stint books restore FILE'

it 'who may only read, reads'
if need_root; then
    as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    chmod 755 "$TMP" store
    chmod 644 store/*
    cp "$STINT" program
    chmod 755 program
    expect_out 1,science sh -c 'setpriv --reuid 65534 --regid 65534 --clear-groups ./program metagroup list science --format csv --no-header | cut -d, -f1,2'
    expect_exit 1 as_nobody ./program metagroup add mine
    expect_err_has 'metagroup add needs the right books, which '
    expect_err_has "users who may write to the store's folder are admin"
    # also while somebody writes
    check stint metagroup add more
    expect_out 1,science sh -c 'setpriv --reuid 65534 --regid 65534 --clear-groups ./program metagroup list science --format csv --no-header | cut -d, -f1,2'
fi

finish
