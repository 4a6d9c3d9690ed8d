stint report cpu_hours --by user,partition --zone UTC --from 2024-03-28 --to 2024-04-02 --chart heat --format svg | sh "$TOP/tests/golden/mask.sh"
