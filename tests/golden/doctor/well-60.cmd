cd "$AREA" || exit
stint doctor --zone UTC --store store --width 60 | sh "$TOP/tests/golden/mask.sh"
