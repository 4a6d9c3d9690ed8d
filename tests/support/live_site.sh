# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# live_site FOLDER: a Grid Engine whose programs are scripts, so that pages about now have something to show: four hosts, one of
# them out of use, a job that runs and two that wait. Writes FOLDER/stint.conf; the cluster is called elm.

# live_host NAME CPUS SLOTS_USED STATE
live_host() {
    printf " <host name='%s'><hostvalue name='arch_string'>lx-amd64</hostvalue><hostvalue name='num_proc'>%s</hostvalue>\n" "$1" "$2"
    printf "  <hostvalue name='load_avg'>0.50</hostvalue><hostvalue name='mem_total'>64.0G</hostvalue>\n"
    printf "  <queue name='all.q'><queuevalue qname='all.q' name='qtype_string'>BIP</queuevalue>\n"
    printf "   <queuevalue qname='all.q' name='slots_used'>%s</queuevalue><queuevalue qname='all.q' name='slots'>%s</queuevalue>\n" "$3" "$2"
    printf "   <queuevalue qname='all.q' name='state_string'>%s</queuevalue></queue>\n </host>\n" "$4"
}

live_site() {
    mkdir -p "$1/bin"
    : >"$1/accounting"
    printf '[cluster elm]\nscheduler = sge\nbin = %s/bin\naccounting = %s/accounting\nevery = 1\n' "$1" "$1" >"$1/stint.conf"
    for t_program in qstat qhost; do
        printf '#!/bin/sh\ncat %s/%s.xml\n' "$1" $t_program >"$1/bin/$t_program"
    done
    chmod +x "$1"/bin/*
    {
        printf '<?xml version="1.0"?>\n<qhost xmlns:xsd="http://x/qhost.xsd">\n'
        printf " <host name='global'><hostvalue name='arch_string'>-</hostvalue></host>\n"
        live_host elm1 32 8 ''
        live_host elm2 32 0 ''
        live_host elm3 64 0 d
        live_host elm4 64 0 au
        printf '</qhost>\n'
    } >"$1/qhost.xml"
    {
        printf '<?xml version="1.0"?>\n<job_info xmlns:xsd="http://x/qstat.xsd">\n<queue_info>\n'
        printf '%s\n' '<job_list state="running"><JB_job_number>7</JB_job_number><JAT_prio>0.5</JAT_prio>' \
            '<JB_name>relax</JB_name><JB_owner>ann</JB_owner><state>r</state>' \
            '<JAT_start_time>2026-11-01T12:00:00</JAT_start_time><queue_name>all.q@elm1</queue_name><slots>8</slots>' \
            '<full_job_name>relax</full_job_name></job_list>'
        printf '</queue_info>\n<job_info>\n'
        for t_job in 8 9; do
            printf '%s\n' '<job_list state="pending">' "<JB_job_number>$t_job</JB_job_number>" '<JAT_prio>0.4</JAT_prio>' \
                '<JB_name>scan</JB_name><JB_owner>bo</JB_owner><state>qw</state>' \
                '<JB_submission_time>2026-11-01T11:00:00</JB_submission_time><queue_name></queue_name><slots>16</slots>' \
                '<full_job_name>scan</full_job_name></job_list>'
        done
        printf '</job_info>\n</job_info>\n'
    } >"$1/qstat.xml"
}
