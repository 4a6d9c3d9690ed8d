# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# claims FILE ARGUMENT...: runs a script of tests/browser, each of whose lines is a check: `ok NAME`, `not ok NAME: WHY`.
claims() {
    t_script=$1
    shift
    node "$TESTS/browser/$t_script" "$@" >claims 2>claims.err
    t_claims=$?
    while read -r t_line; do
        case $t_line in
        'ok '*) t_ok "${t_line#ok }" ;;
        'not ok '*) t_fail "${t_line#not ok }" ;;
        *) t_fail "$t_script says '$t_line'" ;;
        esac
    done <claims
    if [ $t_claims -gt 1 ] || [ ! -s claims ] || [ -s claims.err ]; then
        t_fail "$t_script ends by itself" "exit status $t_claims
$(head -n 20 claims.err)"
    fi
}
