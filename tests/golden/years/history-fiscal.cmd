stint history --zone UTC --year-starts 7 --from 2024 | sh "$TOP/tests/golden/mask.sh"
