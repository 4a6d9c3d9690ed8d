stint compare --by user --zone UTC --from 2024-04-01 --to 2024-04-02 --with 2024-03-29..2024-03-30 --plot --width 60 | sh "$TOP/tests/golden/mask.sh"
