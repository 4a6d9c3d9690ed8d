cp "$TOP/tests/golden/alder.accounting" accounting
stint import sge --zone UTC --cluster alder accounting --store store --width 140 >out
status=$?
sed -E '1,3s/ +[^ ]+( s)?$//' out # but for the last column, the time it took
exit $status
