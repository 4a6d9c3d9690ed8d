stint top user --never --zone UTC --from 2024-04-01 --to 2024-04-02 --width 140 | sh "$TOP/tests/golden/mask.sh"
