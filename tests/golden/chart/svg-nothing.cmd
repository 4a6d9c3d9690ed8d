stint report cpu_hours --by user --zone UTC --from 2020 --format svg | sh "$TOP/tests/golden/mask.sh"
