cp "$TOP/tests/golden/alder.accounting" accounting
stint import sge --zone UTC --dry-run --cluster alder accounting --store store --width 80 | sh "$TOP/tests/golden/mask.sh"
test -e store || echo "no store was made"
