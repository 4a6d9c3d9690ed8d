#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every page of the site, as HTML without script: it is there, well-formed, links to what it names, says what it cannot
# show, and no name leaves its place.
. "$(dirname "$0")/../support/sh.sh"

# page ADDRESS...: into the file out, without the line that says how it went; that is in `how`.
page() {
    "${STINT%/bin/stint}/tests/page" store "$@" >answer 2>err || { cat err; return 1; }
    how=$(head -1 answer)
    tail -n +2 answer >out
}

evil='<img src=x onerror=alert(1)>'
cat >runs.csv <<END
job,user,group,account,partition,name,state,cpus,submit,start,end
1,anna,chem,a1,long,relax,COMPLETED,4,2025-03-01T00:00:00Z,2025-03-01T01:00:00Z,2025-03-01T03:00:00Z
2,bo,chem,a1,long,relax,FAILED,2,2025-03-01T00:00:00Z,2025-03-02T01:00:00Z,2025-03-02T02:00:00Z
3,"$evil","a""b'c&d",a2,"javascript:alert(1)","</script><script>alert(1)</script>",COMPLETED,1,2025-03-03T00:00:00Z,2025-03-03T01:00:00Z,2025-03-03T02:00:00Z
END
for field in job user group account partition name state cpus submit start end; do
    echo "$field = $field"
done >map
printf 'class COMPLETED = completed\nclass FAILED = failed\n' >>map
printf '%s\n' 'project := x' 'department := x' 'qos := x' 'node := n1' 'gpu_type := a100' 'reservation := r' >>map
check stint import csv --map map --cluster "$(printf '\303\251t\303\251')" runs.csv
check stint rate add cpu --cpu 1
check stint bank open a1 --from 2025-01-01
check stint bank grant a1 100 --from 2025-01-01 --to 2025-12-31

it 'every page answers, and is HTML that a strict reader understands'
for address in / /explore '/explore/cpu_hours,jobs?by=group&every=month&from=2025-01&to=2025-12' \
    '/explore/wait_median?by=user&chart=bar&from=2025' '/jobs?from=2025&to=2025' '/jobs?fold=1&from=2025&to=2025' '/compare?measure=jobs&by=group&from=2025-03&user=a*' /job/1 '/job?id=2' '/compare?from=2025-03&to=2025-03' /live \
    '/waste?by=group&from=2025' '/forecast?from=2025&to=2025' '/history?from=2025&to=2025' '/when?measure=cpu_hours&from=2025' '/sizes?of=wall&from=2025' '/rightsize?user=anna&from=2025' '/energy?from=2025' /live/nodes /live/gpus /quality /measures '/search?q=a' '/suggest?q=a' /login /search '/user/anna?from=2025&to=2025' \
    '/group/chem?from=2025&to=2025' /account/a1 /project/x /department/x /partition/long /qos/x \
    /node/n1 /node/%C3%A9t%C3%A9/n1 /partition/%C3%A9t%C3%A9/long /cluster/%C3%A9t%C3%A9 /name/relax /gpu_type/a100 /reservation/r '/live/use?from=2025-03-01&to=2025-03-05' '/hogs?from=2025' \
    '/report?from=2025' /bank '/bank/a1?from=2025-03-01&to=2025-03-31' /requests /quote '/quote?cpus=2&time=1:00:00&account=a1'; do
    page "$address"
    expect_equal "200 $address" "${how%% *} $address"
    # --nocatchup: HTML 5 elements are unknown to it, what is not closed or nested wrongly is not
    xmllint --html --noout out 2>&1 | grep -E '^out:[0-9]+: .* error :' | grep -v 'Tag .* invalid' >complaints
    expect_equal '' "$(cat complaints)"
    expect_equal '' "$(grep -o '<section[^>]*>.*failure' out)"
done

it 'a page about something of which nothing is known says so once, and how to go on'
for address in /user/nobody /group/none /account/none /project/none /qos/none /node/none /cluster/none /node/none/n1 /partition/none/long; do
    page "$address"
    expect_equal "404 $address" "${how%% *} $address"
    expect_equal 1 "$(grep -c 'class="failure"' out)"
    expect_exit 0 grep -qF 'begin with the <a href="/">overview</a>' out
done

it 'and offers what there is with such a name'
page /user/ann
expect_exit 0 grep -qF -- '<a class="btn" href="/search?q=ann">Search for it</a>' out
expect_exit 0 grep -qF -- '<a class="hit" href="/user/anna">' out
page '/user/%zz'
expect_exit 0 grep -qF -- '<a class="btn" href="/">Overview</a>' out

it 'a page about one of many has its share of the whole, its rank, and what the others are'
page '/user/anna?from=2025&to=2025'
expect_equal '73%' "$(sed -n '/Share of all CPU hours/,/class="v/s/.*class="v">\([0-9]*\)<small>\(.\)<.*/\1\2/p' out)"
expect_exit 0 grep -qF -- 'the largest of 3 users' out
expect_exit 0 grep -qF -- 'site 67 %' out
page '/user/bo?from=2025&to=2025'
expect_exit 0 grep -qF -- 'number 2 of 3 users' out
check stint target add plan --measure cpu_hours --amount 4 --per year -g chem --from 2025-01-01 --to 2025-12-31
page '/group/chem?from=2025&to=2025'
expect_exit 0 grep -qF -- '>10 of 4<' out

it 'numbers have a line of how they went, where a period has several intervals'
page '/user/anna?from=2025-02-26&to=2025-03-05'
expect_exit 0 grep -qF -- 'class="stint-chart c-spark"' out
page '/user/anna?from=2025-03-01&to=2025-03-01'
expect_exit 1 grep -qF -- 'c-spark' out

it 'a node or partition of one cluster is asked about with its cluster'
page '/node/%C3%A9t%C3%A9/n1?from=2025&to=2025'
expect_exit 0 grep -qF "<h1>Node <span class=\"thing\">n1 of $(printf '\303\251t\303\251')</span></h1>" out
expect_exit 0 grep -qF 'node=n1&amp;cluster=%C3%A9t%C3%A9&amp;from=2025' out
page '/node/none%2Fn1'
expect_exit 0 grep -qF '<span class="thing">none/n1</span>' out

it 'a page does not rank what it is about'
page '/node/n1?from=2025&to=2025'
expect_exit 0 grep -q 'Top queues' out
expect_exit 1 grep -q 'Top nodes' out
page '/partition/long?from=2025&to=2025'
expect_exit 1 grep -q 'Top queues' out
expect_exit 0 grep -q 'Top nodes' out

it 'a page has the numbers that the command line has'
page '/explore/cpu_hours?by=user&from=2025&to=2025'
expect_exit 0 grep -qF -- '>8.0<' out
expect_exit 0 grep -qF -- 'href="/user/anna"' out
expect_exit 0 grep -qF -- 'stint report cpu_hours --by user --from 2025 --to 2025' out
expect_exit 0 grep -qF -- '/api/v1/report.csv?measure=cpu_hours&amp;by=user&amp;from=2025&amp;to=2025' out

it 'a question has its sum, each share of it, and the change against another period'
page '/explore/cpu_hours?by=user&from=2025-03-01&to=2025-03-01&with=previous'
expect_exit 0 grep -qF -- '<strong>8.0</strong>' out
expect_exit 0 grep -q 'anna</a></td><td class="n">8.0</td><td class="n">100.0 %' out
expect_exit 0 grep -qF -- '<th scope="col" class="n">Before</th><th scope="col" class="n">Change</th>' out

it 'a chart over time has what was in the other period as ticks'
page '/explore/cpu_hours?every=day&from=2025-03-02&to=2025-03-04&with=previous'
expect_exit 0 grep -qF -- 'class="c-earlier"' out
expect_exit 0 grep -qF -- 'the period before</span>' out
expect_exit 0 grep -qF -- '"label":"the period before","values":[null,null,8]' out
page '/explore/cpu_hours?every=day&from=2025-03-02&to=2025-03-04'
expect_exit 1 grep -qF -- 'c-earlier' out

it 'intervals of a page fit its period'
for want in 'hour 2025-03-01 2025-03-02' 'day 2025-02-20 2025-03-10' 'week 2025-01-01 2025-03-31' 'month 2025-01-01 2025-12-31'; do
    set -- $want
    page "/user/anna?from=$2&to=$3"
    expect_exit 0 grep -qF -- "measure=cpu_hours&amp;measure=jobs&amp;every=$1&amp;user=anna" out
done

it 'a report has the panels that are ticked, of what its filters leave'
page '/report?from=2025&to=2025&show=cpu&show=users&group=chem'
expect_exit 0 grep -qF -- '<h2><a href="/explore?measure=cpu_hours&amp;every=month&amp;by=cluster&amp;from=2025&amp;to=2025&amp;group=chem">CPU hours over time' out
expect_equal 2 "$(grep -c '<section class="panel' out)"
expect_equal 'anna bo' "$(sed -n 's/.*<td[^>]*><a href="\/user\/[a-z]*">\([a-z]*\)<.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
page '/report?from=2025&to=2025'
expect_exit 0 grep -qF -- 'value="groups" checked' out
expect_exit 1 grep -qF -- 'value="users" checked' out

it 'intervals are columns, and rows are the largest first'
page '/explore/cpu_hours?by=user&every=month&from=2025-02&to=2025-04'
expect_equal 'User 2025-02 2025-03 2025-04 Total Share' "$(grep -o '<th scope="col"[^>]*>[^<]*' out | sed 's/.*>//; s/ \*//' | tr '\n' ' ' | sed 's/ $//')"
expect_equal 'anna bo' "$(sed -n 's/^<tr><td[^>]*><a href="\/user\/[a-z]*">\([a-z]*\)<.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"

it 'every part of a question can be taken away, and the trail leads up'
page '/explore/cpu_hours,jobs?by=user&from=2025&group=chem&user=a*'
expect_exit 0 grep -qF -- 'href="/explore/cpu_hours?by=user&amp;from=2025&amp;group=chem&amp;user=a%2A" aria-label="Without Jobs"' out
expect_exit 0 grep -qF -- 'href="/explore/cpu_hours,jobs?by=user&amp;from=2025&amp;group=chem" aria-label="Without user a*"' out
expect_exit 0 grep -qF -- '<a href="/explore/cpu_hours,jobs?by=user&amp;from=2025&amp;group=chem">chem</a>' out
expect_exit 0 grep -qF -- '<a href="/explore/cpu_hours,jobs?by=user&amp;from=2025">everything</a>' out

it 'a period that is chosen keeps the question, with intervals that fit it'
page '/explore/cpu_hours?by=user&every=day&from=30d&user=a*'
expect_exit 0 grep -qF -- 'href="/explore/cpu_hours?by=user&amp;every=month&amp;user=a%2A&amp;from=365d">12 months' out
expect_exit 0 grep -qF -- 'href="/explore/cpu_hours?by=user&amp;every=day&amp;user=a%2A&amp;from=7d">7 days' out

it 'a question with a name has its choices, the numbers of the command, and the way to the others'
page '/sizes?of=cpus&from=2025&user=a*'
expect_exit 0 grep -qF -- '<option value="cpus" selected>number of cpus</option>' out
expect_exit 0 grep -qF -- 'stint sizes --of cpus --from 2025 --user &#39;a*&#39;' out
expect_exit 0 grep -qF -- '<a href="/waste">Waste</a>' out
expect_exit 0 grep -qF -- '<p class="sub">How large jobs are, how long they run and how long they wait.</p>' out
page '/waste?by=group&from=2025&filter=user&pattern=a*'
expect_equal '303 text/html; charset=utf-8 /waste?by=group&from=2025&user=a%2A' "$how"
page '/when?measure=nonsense'
expect_equal 200 "${how%% *}"
expect_exit 0 grep -qF -- 'class="failure"' out
page '/answer/waste?from=2025'
expect_equal 200 "${how%% *}"

it 'the first page of questions asks one'
page /explore
expect_exit 0 grep -qF -- '<h1>CPU hours by day, split by cluster</h1>' out

it 'what a form sends leads to an address that people can read'
page '/explore?measure=jobs&measure=cpu_hours&by=group&every=&from=2025&filter=user&pattern=a*'
expect_equal '303 text/html; charset=utf-8 /explore/jobs,cpu_hours?by=group&from=2025&user=a%2A' "$how"
page '/explore?measure=jobs&measure=jobs&measure=&measure=cpu_hours&by=group&by=user&every=month&top=5&with=last-year&chart=line&from=2025'
expect_equal '303 text/html; charset=utf-8 /explore/jobs,cpu_hours?by=group%2Cuser&every=month&with=last-year&chart=line&from=2025' "$how"
page '/search?q=4711_3'
expect_equal '303 text/html; charset=utf-8 /job/4711_3' "$how"

it 'a search finds names in capitals or not, measures, pages and commands, those first that begin with it'
page '/suggest?q=AN'
expect_equal 'an' "$(sed -n 's/.*href="\/user\/anna".*<mark>\(.*\)<\/mark>.*/\1/p' out)"
page '/suggest?q=CPU%20H'
expect_exit 0 grep -qF -- 'href="/explore/cpu_hours"' out
page '/suggest?q=quali'
expect_exit 0 grep -qF -- 'href="/quality"' out
page '/search?q=RIGHTS'
expect_exit 0 grep -qF -- 'href="/rightsize"' out
page '/suggest?q=a'
expect_equal anna "$(sed -n 's/.*href="\/user\/\([^"]*\)".*/\1/p' out | head -n 1)"
page '/suggest?q=4711_3'
expect_exit 0 grep -qF -- 'href="/job/4711_3"' out

it 'a search for what there is not says so, also for a pattern and a text without end'
for text in no-such-thing '%2A' '%5B' '%5C' "$(printf '%0400d' 0 | sed 's/0/%C3%A9/g')" "$(printf '%0999d' 0 | tr 0 z)"; do
    page "/suggest?q=$text"
    expect_equal "200 <p class=\"found-nothing\">Nothing found.</p>" "${how%% *} $(cat out)"
done
page '/suggest?q='
expect_equal '' "$(tr -d '\n' <out)"

it 'what is not there is said, with the status that goes with it'
page /nowhere
expect_equal 404 "${how%% *}"
page /job/4711
expect_equal 404 "${how%% *}"
expect_exit 0 grep -qF -- 'no run of job' out
page '/user/%zz'
expect_equal 400 "${how%% *}"
page '/explore/cpu_horus'
expect_equal 200 "${how%% *}"
expect_exit 0 grep -qF -- 'did you mean' out

it 'no name leaves its place'
for address in '/jobs?from=2025&to=2025' '/explore/jobs?by=user,group&from=2025' '/explore/jobs?by=partition,name&from=2025' \
    '/suggest?q=%3Cimg' '/suggest?q=%22%3E%3Cscript%3E' '/suggest?q=script' /job/3 '/user/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E?from=2025' '/search?q=%3Cscript%3Ealert(1)%3C/script%3E' \
    '/explore/%3Cscript%3E?by=%22%3E%3Cscript%3E' '/jobs?user=%22%3E%3Cscript%3Ealert(1)%3C/script%3E' '/%3Cscript%3E'; do
    page "$address"
    expect_equal '' "$(grep -v -F '<script type="module" src="/static/stint.js"></script>' out | grep -i -E '<img|<script|href="javascript|" on[a-z]+=')"
done
page '/explore/jobs?by=user&from=2025'
expect_exit 0 grep -qF -- 'href="/user/%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E"' out

it 'a job is not among its other runs'
day=$(date -u -d '-10 days' +%Y-%m-%d)
for id in 21 22; do
    echo "$id,anna,chem,a1,long,lately,COMPLETED,4,${day}T00:00:00Z,${day}T01:00:00Z,${day}T03:00:00Z"
done >lately.csv
day=$(date -u -d '-400 days' +%Y-%m-%d)
echo "23,anna,chem,a1,long,lately,COMPLETED,4,${day}T00:00:00Z,${day}T01:00:00Z,${day}T03:00:00Z" >>lately.csv
check sh -c 'head -1 runs.csv | cat - lately.csv >two.csv'
check stint import csv --map map --cluster elm two.csv
page /job/21
expect_equal 22 "$(sed -n '/Its other runs/,/<\/table>/s/.*<td[^>]*><a href="\/job\/[^"]*">\([0-9]*\)<.*/\1/p' out)"

it 'hours over time of one of many have those of a year before as ticks'
page /user/anna
expect_exit 0 grep -qF -- '"label":"a year before"' out

it 'the style sheet is one file, with rules for a dark screen'
page /static/stint.css
expect_equal '200 text/css; charset=utf-8 ' "$how"
expect_exit 0 grep -qF -- 'prefers-color-scheme' out
expect_exit 0 grep -qF -- '.stint-chart' out

finish
