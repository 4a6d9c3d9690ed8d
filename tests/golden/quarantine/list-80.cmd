stint quarantine --zone UTC --width 80 | sh "$TOP/tests/golden/mask.sh"
