#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The run script: what it says, and what it asks for on a machine that lacks something.
. "$(dirname "$0")/../support/sh.sh"

it 'help lists every command'
run "$TOP/run" help
for command in demo test build bench fuzz mutants format lint install package release clean help; do
    expect_out_has "  $command "
done

it 'help is not an error'
expect_exit 0 "$TOP/run" --help

it 'no command is wrong usage'
expect_exit 2 "$TOP/run"
expect_no_out
expect_err_has 'usage: ./run'

it 'an unknown command is wrong usage'
expect_exit 2 "$TOP/run" frobnicate
expect_err_has "there is no command 'frobnicate'"

it 'an unknown option of install is wrong usage'
expect_exit 2 "$TOP/run" install --frobnicate

it 'a fuzz target that does not exist is named'
expect_exit 1 "$TOP/run" fuzz no_such_target
expect_err_has 'tests/fuzz/fuzz_no_such_target.c'

# A machine that has every tool and no library, and is not ours: dpkg-query knows nothing.
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
printf '#!/bin/sh\necho 1000\n' >bin/id
printf '#!/bin/sh\necho "apt-get $*" >>"%s/apt.log"\n' "$TMP" >bin/apt-get
printf '#!/bin/sh\ncat >>"%s/debconf.log"\n' "$TMP" >bin/debconf-set-selections
chmod +x bin/*
for tool in gcc cmake ninja pkg-config node npm clang clang-format; do
    printf '#!/bin/sh\nexit 7\n' >"bin/$tool"
    chmod +x "bin/$tool"
done
PATH=$TMP/bin:$PATH

it 'a user without root is told what to install'
expect_exit 1 "$TOP/run" build
expect_err_has 'sudo apt-get install -y --no-install-recommends libc6-dev zlib1g-dev libmicrohttpd-dev libgnutls28-dev libsodium-dev libzstd-dev libjansson-dev libsqlite3-dev tzdata ca-certificates'

it 'nothing is asked of apt then'
expect_exit 1 test -e apt.log

it 'building asks for no test packages'
if grep -q cmocka "$ERR"; then
    t_fail 'building asks for no test packages'
else
    t_ok 'building asks for no test packages'
fi

it 'testing asks for the test packages too'
expect_exit 1 "$TOP/run" test
expect_err_has 'libclang-rt-14-dev libcmocka-dev'

it 'formatting needs none of them'
printf '#!/bin/sh\nexit 0\n' >bin/clang-format
expect_exit 0 "$TOP/run" format --check

# The same machine as root, with an apt-get that installs nothing: it is asked once, for what is missing.
printf '#!/bin/sh\necho 0\n' >bin/id
printf '#!/bin/sh\necho "apt-get $*" >>"%s/apt.log"\n[ "$1" = update ]\n' "$TMP" >bin/apt-get
it 'root installs what is missing'
expect_exit 1 "$TOP/run" build
expect_out 'apt-get update -q
apt-get install -q -y --no-install-recommends libc6-dev zlib1g-dev libmicrohttpd-dev libgnutls28-dev libsodium-dev libzstd-dev libjansson-dev libsqlite3-dev tzdata ca-certificates' cat apt.log

finish
