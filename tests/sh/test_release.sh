#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ./run release, in a repository of its own whose tests and programs do what they are told.
. "$(dirname "$0")/../support/sh.sh"

mkdir -p tree/tools
cp "$TOP/tools/release" tree/tools/
cd tree || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# write_version CMAKE NPM LOCK PACKAGE-IN-LOCK HEADING
write_version() {
    printf 'project(stint VERSION %s LANGUAGES C)\n' "$1" >CMakeLists.txt
    printf '{\n  "name": "stint",\n  "version": "%s",\n  "private": true\n}\n' "$2" >package.json
    printf '{\n  "version": "%s",\n  "packages": {\n    "": {\n      "version": "%s",\n    },\n    "x": {\n      "version": "9"\n    }\n' \
        "$3" "$4" >package-lock.json
    printf '# Changelog\n\n## %s\n\n## 0.0.1\n' "$5" >CHANGELOG.md
}

# In place of the run script: tests that pass while there is no file `broken`, programs that say what `says` has.
cat >run <<'END'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
case $1 in
test) [ ! -e ../broken ] ;;
install)
    mkdir -p "$3/bin"
    for program in stint stint-agent; do
        printf '#!/bin/sh\necho %s %s\n' $program "$(cat ../says)" >"$3/bin/$program"
        chmod +x "$3/bin/$program"
    done
    ;;
esac
END
chmod +x run
echo 1.2.3 >../says
write_version 1.2.3 1.2.3 1.2.3 1.2.3 1.2.3
check git init -q .
git add . && git commit -q -m 'first'

it 'what can be released is not tagged without being told'
expect_exit 0 tools/release
expect_out_has 'v1.2.3 can be tagged'
expect_equal '' "$(git tag)"

it 'an unknown option is wrong usage'
expect_exit 2 tools/release --push

it 'a failed test is the end of it'
: >../broken
expect_exit 1 tools/release --tag
expect_err_has 'tests failed'
expect_equal '' "$(git tag)"
rm ../broken

it 'a program that says another version is the end of it'
echo 1.2.2 >../says
expect_exit 1 tools/release --tag
expect_err_has "the installed stint says 'stint 1.2.2', not 'stint 1.2.3'"
expect_equal '' "$(git tag)"
echo 1.2.3 >../says

it 'a file that is not committed is the end of it'
: >forgotten
expect_exit 1 tools/release
expect_err_has 'forgotten'
rm forgotten

# wrong FILE VERSION...: the one that differs is named.
wrong() {
    it "another version in $1 is the end of it"
    file=$1
    shift
    write_version "$@"
    git commit -q -a -m 'another version'
    expect_exit 1 tools/release
    expect_err_has "$file says"
    git reset -q --hard HEAD~1
}
wrong package.json 1.2.3 1.2.2 1.2.3 1.2.3 1.2.3
wrong package-lock.json 1.2.3 1.2.3 1.2.2 1.2.3 1.2.3
wrong package-lock.json 1.2.3 1.2.3 1.2.3 1.2.2 1.2.3
wrong CHANGELOG.md 1.2.3 1.2.3 1.2.3 1.2.3 1.2.2

it 'a version whose changes are not finished is not released'
write_version 1.2.3 1.2.3 1.2.3 1.2.3 '1.2.3, not released yet'
git commit -q -a -m 'not yet'
expect_exit 1 tools/release
expect_err_has 'CHANGELOG.md'
git reset -q --hard HEAD~1

it 'a day behind the version is fine'
write_version 1.2.3 1.2.3 1.2.3 1.2.3 '1.2.3 (2027-01-31)'
git commit -q -a -m 'the day'

it 'a tag is made when it is told to'
expect_exit 0 tools/release --tag
expect_equal 'v1.2.3' "$(git tag)"
expect_equal 'tag' "$(git cat-file -t v1.2.3)"

it 'once'
expect_exit 1 tools/release --tag
expect_err_has 'v1.2.3 is tagged already'

it 'outside of a repository there is nothing to release'
rm -rf .git
expect_exit 1 env GIT_CEILING_DIRECTORIES="$TMP" tools/release
expect_err_has 'not a git repository'

it 'the versions of this tree are one'
cd "$TOP" || exit 1
version=$(sed -n 's/^project([a-z]* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
expect_equal "$version" "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)"
expect_equal "$version $version " "$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' package-lock.json | head -n 2 | tr '\n' ' ')"
expect_equal "$version" "$(sed -n 's/^## \([^ ,]*\).*/\1/p' CHANGELOG.md | head -n 1)"
cd "$TMP" || exit 1

finish
