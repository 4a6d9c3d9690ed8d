stint history --zone UTC --from 2023 --to 2024 --width 140 | sh "$TOP/tests/golden/mask.sh"
