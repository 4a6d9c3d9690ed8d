stint nodes --zone UTC --history -w 'c[34]' --from 2024-04-01 --to 2024-04-01 --width 100 | sh "$TOP/tests/golden/mask.sh"
