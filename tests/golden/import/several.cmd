cp "$TOP/tests/golden/alder.accounting" "$TOP/tests/golden/birch.accounting" .
stint import sge --cluster toy alder.accounting nowhere birch.accounting --store store --format csv >out
status=$?
cut -d, -f1-8 out
exit $status
