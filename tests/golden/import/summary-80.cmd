cp "$TOP/tests/golden/alder.accounting" accounting
stint import sge --zone UTC --cluster alder accounting --store store --width 80 >out
status=$?
sh "$TOP/tests/golden/mask.sh" <out
exit $status
