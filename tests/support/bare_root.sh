# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# A Debian with little on it, made of the packages of this one, without the network: where packages of ours are installed. For root,
# after sh.sh:
#
#     bare_root DIR PACKAGE.deb...    a root in DIR with what every Debian has and what these depend on; not these themselves
#     inside DIR COMMAND...           in it

# installed_packages: a line of each, "NAME<tab>base or not<tab>NAMES IT PROVIDES<tab>DEPENDENCIES".
installed_packages() {
    dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Essential} ${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
        sed -n 's/^installed\t//p'
}

# needs DEB...: the packages of this machine that an installation of these needs, each on a line.
needs() {
    for deb; do
        printf 'wanted\tyes required\t\t%s\n' "$(dpkg-deb -f "$deb" Depends)"
    done | cat - "$TMP/.installed" | awk -F '\t' '
        function bare(text) { sub(/^ */, "", text); sub(/[ :(].*/, "", text); return text }
        $1 == "wanted" { $1 = "wanted" NR }
        { depends[$1] = $4; provider[$1] = $1; if ($2 ~ /yes|required/) queue[++last] = $1 }
        { n = split($3, names, ","); for (i = 1; i <= n; i++) if (!(bare(names[i]) in provider)) provider[bare(names[i])] = $1 }
        END {
            for (at = 1; at <= last; at++) {
                if (seen[queue[at]]++)
                    continue
                if (queue[at] !~ /^wanted/)
                    print queue[at]
                n = split(depends[queue[at]], groups, ",")
                for (i = 1; i <= n; i++) {
                    m = split(groups[i], ways, "|")
                    for (j = 1; j <= m; j++)
                        if (bare(ways[j]) in provider) {
                            queue[++last] = provider[bare(ways[j])]
                            break
                        }
                }
            }
        }'
}

# As names of files: all that packages have, and what alternatives put into the PATH.
files_of() {
    xargs dpkg-query -L <"$1" | grep '^/..*'
    xargs dpkg-query -L <"$1" | sort -u >"$TMP/.files"
    find /usr/bin /usr/sbin -lname '/etc/alternatives/*' | while read -r link; do
        ! grep -qxF "$(readlink -f "$link")" "$TMP/.files" || printf '%s\n%s\n' "$link" "$(readlink "$link")"
    done
}

bare_root() {
    root=$1
    shift
    mkdir -p "$root"
    installed_packages >"$TMP/.installed"
    needs "$@" >"$TMP/.packages"
    for folder in bin sbin lib lib32 lib64 libx32; do
        [ ! -L "/$folder" ] || ln -s "usr/$folder" "$root/$folder"
        mkdir -p "$root/usr/$folder"
    done
    files_of "$TMP/.packages" | sort -u | while read -r file; do
        [ ! -e "$file" ] && [ ! -L "$file" ] || printf '%s\n' "$file"
    done | tar -C / -cf - --no-recursion -T - 2>/dev/null | tar -C "$root" -xf - --keep-directory-symlink
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/dev" "$root/proc" "$root/tmp"
    awk -v RS= -v ORS='\n\n' 'FNR == NR { n = split($0, names, "\n"); for (i = 1; i <= n; i++) wanted[names[i]]; next }
        { name = $0; sub(/^Package: /, "", name); sub(/\n.*/, "", name) }
        name in wanted' "$TMP/.packages" /var/lib/dpkg/status >"$root/var/lib/dpkg/status"
    while read -r name; do
        cp "/var/lib/dpkg/info/$name".* "/var/lib/dpkg/info/$name":* "$root/var/lib/dpkg/info/" 2>/dev/null
    done <"$TMP/.packages"
    cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
    cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
    inside "$root" ldconfig
}

# What is mounted for a command is seen by it alone and is gone when it ends: DIR is a folder of plain files, which can be removed at
# any time. With inside_by=exec the caller becomes the command.
inside() {
    at=$1
    shift
    # shellcheck disable=SC2016 # for the shell in between
    ${inside_by:-} unshare --mount sh -c '
        mount -t proc proc "$0/proc" && mount -t tmpfs -o mode=755 dev "$0/dev" || exit 125
        for node in "null c 1 3" "zero c 1 5" "random c 1 8" "urandom c 1 9"; do
            mknod -m 666 "$0/dev/"$node || exit 125
        done
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TZ=UTC "$@"' "$at" "$@"
}
