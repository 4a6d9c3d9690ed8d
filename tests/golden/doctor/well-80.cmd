cd "$AREA" || exit
stint doctor --zone UTC --store store --width 80 | sh "$TOP/tests/golden/mask.sh"
