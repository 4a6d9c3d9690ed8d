cd "$AREA" || exit
stint doctor --zone UTC --store store --width 140 | sh "$TOP/tests/golden/mask.sh"
