stint quarantine --zone UTC --width 140 | sh "$TOP/tests/golden/mask.sh"
