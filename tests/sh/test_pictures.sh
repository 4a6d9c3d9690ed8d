#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pictures of an answer: files that other programs read, and what is refused.
. "$(dirname "$0")/../support/sh.sh"

stint import sge --cluster alder "$TESTS/golden/alder.accounting" >/dev/null 2>&1
stint import sge --cluster birch "$TESTS/golden/birch.accounting" >/dev/null 2>&1

ask() { # ask QUESTION...: over the days there are runs in
    stint "$@" --zone UTC --from 2024-03-28 --to 2024-04-02
}

# --- SVG and HTML -----------------------------------------------------------------------------------

it 'SVG and HTML of every kind are well-formed, says another program'
for kind in bar stacked line area heat box; do
    ask report cpu_hours --by user,partition --every day --chart $kind --format svg >picture.svg
    expect_exit 0 xmllint --noout --nonet picture.svg
    ask report cpu_hours --by user,partition --every day --chart $kind --format html >page.html
    expect_exit 0 xmllint --noout --nonet page.html
done

it 'the same question gives the same bytes, whatever the locale'
ask report cpu_hours --by user --quiet --format svg >one.svg
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$STINT" report cpu_hours --by user --quiet --format svg --zone UTC \
    --from 2024-03-28 --to 2024-04-02 >two.svg
expect_same one.svg two.svg

it 'a page fetches nothing and runs nothing'
ask report cpu_hours --by user --format html >page.html
expect_exit 1 grep -E '<script|<link|src=|@import' page.html
check grep -q 'default-src' page.html

it 'a name cannot leave its place'
ask report cpu_hours --by user --title '</title><script>alert(1)</script>' --format html >page.html
expect_exit 1 grep -F '<script>' page.html
check grep -qF '&lt;script&gt;' page.html

# --- PNG --------------------------------------------------------------------------------------------

hex() { od -An -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'; }

it 'PNG has its signature and the size of the SVG, twice'
ask report cpu_hours --by user --format png >picture.png
ask report cpu_hours --by user --format svg >picture.svg
height=$(sed -n 's/.* height="\([0-9]*\)" viewBox.*/\1/p' picture.svg)
expect_equal 89504e470d0a1a0a "$(hex picture.png 0 8)"
expect_equal "$(printf '%08x%08x' 1800 $((2 * height)))" "$(hex picture.png 16 8)"
expect_equal 49454e44ae426082 "$(tail -c 8 picture.png | od -An -tx1 | tr -d ' \n')"

it 'PNG is not for the terminal'
if need_terminal; then
    script -qec "$STINT report cpu_hours --from 2024 --format png" /dev/null >typed </dev/null
    check grep -q 'PNG cannot be written to a terminal: set a file with --output' typed
fi

it 'without librsvg it says what to install'
mkdir empty
printf 'not a library' >empty/librsvg-2.so.2
LD_LIBRARY_PATH=$TMP/empty "$STINT" report cpu_hours --from 2024 --format png --output no.png 2>err
expect_equal 1 $?
check grep -q 'apt-get install librsvg2-2' err
expect_exit 1 test -e no.png

# --- what does not go together ----------------------------------------------------------------------

it 'is refused before anything is asked'
expect_exit 2 stint report cpu_hours --store /nowhere --plot --format json
expect_err_has 'leave out --format json'
expect_exit 2 stint report cpu_hours --store /nowhere --title x --format json
expect_err_has '--title is for pictures'

it 'what cannot be drawn so says what can'
expect_exit 2 ask report cpu_hours --by user --chart calendar --format svg
expect_err_has "cannot be drawn as 'calendar', which needs --every day"
expect_err_has 'what fits: bar, pie, histogram'

it 'a file that was there stays when a picture fails'
echo mine >kept.svg
expect_exit 2 ask report cpu_hours --by user --chart line --format svg --output kept.svg
expect_equal mine "$(cat kept.svg)"

# --- the README's -----------------------------------------------------------------------------------

it 'the pictures of the README are those that stint draws of the made-up site, and small'
check "$TOP/tools/check-pictures"
expect_no_out
expect_equal '' "$(find "$TOP/docs/pictures" -type f ! -name '*.svg' -o -type f -size +40k)"
expect_equal '' "$(grep -o 'docs/pictures/[a-z-]*.svg' "$TOP/README.md" | while read -r f; do [ -f "$TOP/$f" ] || echo "$f"; done)"

finish
