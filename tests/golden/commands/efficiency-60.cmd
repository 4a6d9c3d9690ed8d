stint efficiency --zone UTC --from 2024-03-28 --to 2024-04-02 --width 60 | sh "$TOP/tests/golden/mask.sh"
