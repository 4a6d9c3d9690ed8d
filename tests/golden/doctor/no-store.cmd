stint doctor --zone UTC --width 80 --store nowhere >out; status=$?
sh "$TOP/tests/golden/mask.sh" <out
exit $status
