stint compare cpu_hours,jobs --by cluster --zone UTC --from 2024-04-01 --to 2024-04-02 --format csv | sh "$TOP/tests/golden/mask.sh"
