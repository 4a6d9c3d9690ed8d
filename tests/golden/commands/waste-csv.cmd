stint waste --zone UTC --from 2024-03-28 --to 2024-04-02 --format csv | sh "$TOP/tests/golden/mask.sh"
