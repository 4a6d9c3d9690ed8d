stint quarantine --zone UTC --width 60 | sh "$TOP/tests/golden/mask.sh"
