#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ./run package, and what becomes of the packages on a Debian without a compiler: installed, used, replaced while a server runs,
# removed and purged. The release build comes first. timeout: 7200
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/bare_root.sh"

version=$(sed -n 's/^project([a-z]* VERSION \([0-9.]*\).*/\1/p' "$TOP/CMakeLists.txt")
arch=$(dpkg --print-architecture)

# --- what is made -------------------------------------------------------------------------------------

it 'packages are made'
check "$TOP/run" package
made=$TOP/build/packages

it 'and have the same bytes a second time, whatever the zone and mask of who packs'
(umask 077 && TZ=Asia/Tokyo "$TOP/tools/package" --out "$TMP/again" >/dev/null)
for file in "stint_$version-1_$arch.deb" "stint-agent_$version-1_$arch.deb" "stint-$version-1.$(uname -m).rpm" \
    "stint-agent-$version-1.$(uname -m).rpm"; do
    expect_same "$made/$file" "again/$file"
done

it 'no program has the folder in which it was built'
expect_exit 1 grep -rqF "$TOP/" "$TOP/build/release/bin/stint" --binary-files=text
for deb in again/*.deb; do
    dpkg-deb -x "$deb" files
done
expect_exit 1 grep -rqlF "$TOP" files

it 'lintian finds nothing'
check lintian --allow-root --fail-on error,warning again/*.deb
expect_no_out

it 'rpmlint finds nothing'
check rpmlint again/*.rpm -c "$TOP/contrib/package/rpmlint.toml"
expect_out_has ' 0 errors, 0 warnings'

it 'the bill of materials names what is in it, and is JSON'
check node -e 'const bill = JSON.parse(require("fs").readFileSync("files/usr/share/doc/stint/stint.spdx.json"));
    process.exitCode = bill.packages.some(part => part.name === "DuckDB" && part.versionInfo) ? 0 : 1'

# Debian's zsh looks in another folder, and lintian wants files of its own.
it 'an rpm has the files of the Debian package, byte by byte'
mkdir from-rpm
for rpm in again/*.rpm; do
    rpm2cpio "$rpm" | (cd from-rpm && cpio -id --quiet)
done
mv files/usr/share/zsh/vendor-completions files/usr/share/zsh/site-functions
rm -r files/usr/share/lintian files/usr/share/doc/*/changelog.Debian.gz
check diff -r files from-rpm

# --- where they are installed -------------------------------------------------------------------------

need_root || finish
mkdir root
need_mount root || finish # and so may make a namespace of mounts
check "$TOP/tools/package" --revision 2 --out "$TMP/next" deb
check bare_root "$TMP/root" again/*.deb
cp again/*.deb next/*.deb root/tmp/

it 'the machine has no compiler'
expect_exit 127 inside root sh -c 'gcc --version || ld --version'

it 'all that a package depends on is there, and its user and folder are made'
check inside root dpkg -i "/tmp/stint_$version-1_$arch.deb" "/tmp/stint-agent_$version-1_$arch.deb"
expect_equal 'stint stint 711' "$(inside root stat -c '%U %G %a' /var/lib/stint)"

it 'a year of a site is made up, imported and reported'
check inside root stint demo --out /tmp/site --runs 2000 --as sge --quiet
chmod -R a+rX root/tmp/site
for cluster in root/tmp/site/*/accounting; do
    check inside root setpriv --reuid=stint --regid=stint --clear-groups stint --store /var/lib/stint import sge \
        --cluster "$(basename "$(dirname "$cluster")")" "${cluster#root}"
done
ask() { inside root stint --store /var/lib/stint report jobs,cpu_hours --by cluster --from 2000-01-01 --to 2100-01-01 --format csv --quiet; }
check ask
cp "$OUT" before
expect_equal 4 "$(wc -l <before)"

it 'manual pages and completion are there'
for file in usr/share/man/man1/stint-report.1.gz usr/share/man/man1/stint-agent.1.gz usr/share/bash-completion/completions/stint \
    usr/share/zsh/vendor-completions/_stint usr/share/fish/vendor_completions.d/stint.fish; do
    check test -s "root/$file"
done

# serve: as stint.service does, with a socket for people in the store's folder.
serve() {
    (inside_by=exec && inside root setpriv --reuid=stint --regid=stint --clear-groups stint --store /var/lib/stint serve \
        --listen unix:/var/lib/stint/http) >served 2>&1 &
    server=$!
    until_true answers
}
answers() { curl -sS --unix-socket root/var/lib/stint/http http://stint/api/v1/health; }
stop() {
    kill "$server"
    wait "$server"
}

it 'it serves'
serve
check answers
check ask
expect_same before "$OUT"

it 'a newer package is installed while the server has the store, which goes on answering'
check inside root dpkg -i "/tmp/stint_$version-2_$arch.deb" "/tmp/stint-agent_$version-2_$arch.deb"
check answers
check ask
expect_same before "$OUT"
stop

it 'and what is started then has all that was there'
serve
check ask
expect_same before "$OUT"
stop

# --- and removed --------------------------------------------------------------------------------------

it 'a removal keeps store and settings'
echo '[site]' >root/etc/stint/stint.conf
echo 'CLUSTER=birch' >root/etc/default/stint-agent
check inside root dpkg -r stint stint-agent
expect_exit 127 inside root stint version
check test -s root/var/lib/stint/facts.duckdb
check test -s root/etc/stint/stint.conf
check inside root dpkg -i "/tmp/stint_$version-2_$arch.deb" "/tmp/stint-agent_$version-2_$arch.deb"
check ask
expect_same before "$OUT"
expect_equal 'CLUSTER=birch' "$(cat root/etc/default/stint-agent)"

it 'a purge takes them'
check inside root dpkg -P stint stint-agent
expect_equal '' "$(find root/var/lib root/etc root/usr \( -name '*stint*' ! -name '*-stint*' \) ! -path '*/dpkg/*' | sort)"

finish
