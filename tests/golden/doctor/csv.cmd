cd "$AREA" || exit
stint doctor --zone UTC --store store --format csv | sh "$TOP/tests/golden/mask.sh"
