#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Roles by rule: [access RULE] of stint.conf gives users and members of groups a role and what they manage, whoever vouches for
# them; and what a manager of metagroups sees.
. "$(dirname "$0")/../support/sh.sh"
. "$TESTS/support/server.sh"

# as NAME GROUPS PATH CURL-OPTION...: as the proxy says.
as() {
    t_user=$1 t_groups=$2 t_path=$3
    shift 3
    proxy_says "$t_user" -H "X-Remote-Groups: $t_groups" "$@" "$at/api/v1/$t_path"
}
role() { as "$1" "$2" whoami | sed 's/.*"role":"\([^"]*\)".*/\1/'; }
code() { "$@" -o /dev/null -w '%{http_code}'; }
# seen NAME GROUPS: whose runs.
seen() { as "$1" "$2" 'report.csv?measure=jobs&by=user&from=2024&to=2025' | sed -n '2,$s/,.*//p' | sort | tr '\n' ' '; }

stint import sge --cluster c "$TESTS/fixtures/import/accounting" >/dev/null
for name in science arts chem; do stint metagroup add $name >/dev/null; done
stint member add science metagroup chem >/dev/null
stint member add science group staff >/dev/null
stint member add chem user bob >/dev/null
stint member add arts user ann >/dev/null
stint member add science user cyd --to 2023-12-31 >/dev/null
stint member add arts user cyd --from 2024-01-01 >/dev/null

it 'a rule that makes no sense is refused with its line'
printf '[access x]\ngroups = a\nrole = staff\nmanages_groups = b\n' >"$STINT_STORE/stint.conf"
expect_exit 2 stint serve --listen 127.0.0.1:0
expect_err_has 'line 1: what a rule manages is for role = manager'
printf '[access x]\nrole = staff\n' >"$STINT_STORE/stint.conf"
expect_exit 2 stint serve --listen 127.0.0.1:0
expect_err_has 'needs users or groups'
printf '[access x]\ngroups = a\nrole = king\n' >"$STINT_STORE/stint.conf"
expect_exit 1 stint serve --listen 127.0.0.1:0
expect_err_has 'king'

{ echo '[serve]' && trust_proxy; } >"$STINT_STORE/stint.conf"
cat >>"$STINT_STORE/stint.conf" <<'CONF'

[access operators]
groups = hpc-staff, ops
role = staff

[access root]
users = vera
role = admin

[access chem-lead]
groups = chem-pi
role = manager
manages_metagroups = chem

[access science-lead]
groups = science-pi
role = manager
manages_metagroups = science

[access arts-lead]
groups = arts-pi
users = art
role = manager
manages_metagroups = arts

[access of-group]
groups = staff-pi
role = manager
manages_groups = staff

[access machine]
groups = nogroup
role = manager
manages_accounts = sge
CONF
start_server

it 'a proxy that names two users is not believed'
expect_equal 401 "$(code as vera ops whoami -H 'X-Remote-User: root')"
expect_equal 401 "$(code as ann '' whoami -H 'X-Remote-Groups: ops' -H 'X-Remote-Groups: chem')"

it 'groups that a trusted proxy names give the role, the highest counts'
expect_equal user "$(role ann '')"
expect_equal user "$(role ann 'hpc,staff,operators')"
expect_equal staff "$(role ann 'x, hpc-staff')"
expect_equal manager "$(role ann chem-pi)"
expect_equal staff "$(role ann 'chem-pi,ops')"
expect_equal admin "$(role vera '')"

it 'a manager sees what the rules name, and their own, and nobody else'
expect_equal 'bob ' "$(seen zoe chem-pi)"
expect_equal 'ann bob ' "$(seen ann chem-pi)"
expect_equal 'ann bob cyd dan eve ' "$(seen zoe staff-pi)"
expect_equal '' "$(seen zoe '')"
expect_equal 'ann bob cyd dan eve ' "$(seen zoe ops)"

it 'a metagroup has those in it, while they are in it, unless they belong elsewhere'
expect_equal 'bob dan eve ' "$(seen zoe science-pi)"
expect_equal 'ann cyd ' "$(seen art '')"
expect_equal 'ann bob cyd dan eve ' "$(seen zoe 'science-pi arts-pi')"
want=$(stint report jobs,cpu_hours --metagroup science --from 2024 --to 2025 --format csv | tail -n 1)
expect_equal "$want" "$(as zoe science-pi 'report.csv?measure=jobs,cpu_hours&metagroup=science&from=2024&to=2025' | tail -n 1)"

it 'nothing in a request widens what a rule gives'
for more in 'user=ann' 'user=*' 'metagroup=arts' 'metagroup=!chem' 'by=metagroup,user' 'zone=Pacific/Kiritimati&by=user' 'zone=Etc/GMT%2B12&by=user'; do
    for format in csv json jsonl answer; do
        as zoe chem-pi "report.$format?measure=jobs&from=2024&to=2025&$more" >>widened
    done
done
as zoe chem-pi 'jobs.csv?from=2024&to=2025&fields=all&user=*' >>widened
expect_equal '' "$(grep -E 'ann|cyd|dan|eve' widened | grep -v "no run has user 'ann'")"
expect_equal 404 "$(code as zoe chem-pi 'job?id=1')"
expect_equal 200 "$(code as zoe chem-pi 'job?id=2')"
expect_equal 403 "$(code as zoe chem-pi 'user?action=list')"

it 'what is kept of one is not given to another'
expect_equal 'bob ' "$(seen zoe chem-pi)"
expect_equal 'ann cyd ' "$(seen zoe arts-pi)"

it 'rules add to what the books say of a user'
check stint user add dan --role manager --groups none --password 'correct horse battery'
expect_equal 'bob dan ' "$(seen dan chem-pi)"
check stint user add art --role staff --password 'correct horse battery'
expect_equal staff "$(role art '')"
curl -sS -o /dev/null -c jar -d 'name=art&password=correct+horse+battery' "$at/api/v1/login"
expect_equal staff "$(curl -sS -b jar "$at/api/v1/whoami" | sed 's/.*"role":"\([^"]*\)".*/\1/')"

it 'a token and a user manage metagroups, too, over the API and from a command line elsewhere'
STINT_TOKEN=$(stint token add chem --role manager --metagroups chem,none --format csv --no-header | cut -d, -f 2)
export STINT_TOKEN
whose() { sed -n '2,$s/,.*//p' | sort | tr '\n' ' '; }
by_user='report.csv?measure=jobs&by=user&from=2024&to=2025'
bearer() { t_path=$1; shift; curl -sS -H "Authorization: Bearer $STINT_TOKEN" "$@" "$at/api/v1/$t_path"; }
expect_equal 'bob ' "$(bearer "$by_user" | whose)"
expect_equal 'bob ' "$(stint report jobs --by user --from 2024 --to 2025 --format csv --store "$TMP/nowhere" --server "$at" | whose)"
check stint user add sci --role manager --metagroups science --password 'correct horse battery'
curl -sS -o /dev/null -c jar -d 'name=sci&password=correct+horse+battery' "$at/api/v1/login"
expect_equal 'bob dan eve ' "$(curl -sS -b jar "$at/api/v1/$by_user" | whose)"
check stint user set sci --metagroups arts
expect_equal 'ann cyd ' "$(curl -sS -b jar "$at/api/v1/$by_user" | whose)"

it 'nothing widens what a token gives: no other name in a header, no order, no view of somebody else'
check stint view add ofstaff '/explore/jobs?by=user&from=2024&to=2025' --share staff
expect_equal 'bob ' "$(bearer "$by_user" -H 'X-Remote-User: vera' -H 'X-Remote-Groups: ops' | whose)"
expect_equal 'bob ' "$(bearer "$by_user&sort=user" | whose)"
bearer 'jobs.csv?from=2024&to=2025&sort=user&fields=all' >widened
bearer 'top.csv?from=2024&to=2025' >>widened
expect_equal 0 "$(bearer 'view?action=list' | grep -c ofstaff)"
for path in '/jobs?from=2024&to=2025' '/explore/jobs?by=user&from=2024&to=2025' /compare /quality; do
    curl -sS -H "Authorization: Bearer $STINT_TOKEN" "$at$path" >>widened
done
expect_equal '' "$(grep -wE 'ann|cyd|dan|eve' widened)"
unset STINT_TOKEN

it 'Unix groups give the role on the socket, by every way through it'
if need_root; then
    chmod 755 "$TMP" && chmod 666 http
    nobody() { setpriv --reuid 65534 --regid 65534 --init-groups "$@"; }
    expect_equal manager "$(nobody curl -sS --unix-socket "$TMP/http" http://x/api/v1/whoami | sed 's/.*"role":"\([^"]*\)".*/\1/')"
    expect_equal 5 "$(nobody curl -sS --unix-socket "$TMP/http" 'http://x/api/v1/report.csv?measure=jobs&by=user&account=sge&from=2024&to=2025' | tail -n +2 | grep -c .)"
fi
stop_server

it 'who comes from elsewhere than the proxy is nobody, whatever the headers say'
sed 's/^proxy = .*/proxy = 192.0.2.1/' "$STINT_STORE/stint.conf" >conf && cp conf "$STINT_STORE/stint.conf"
start_server
expect_equal anyone "$(role vera ops)"
expect_equal 401 "$(code as vera ops doctor)"

finish
