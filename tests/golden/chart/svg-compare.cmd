stint compare --by user --zone UTC --from 2024-04-01 --to 2024-04-02 --with 2024-03-29..2024-03-30 --format svg | sh "$TOP/tests/golden/mask.sh"
