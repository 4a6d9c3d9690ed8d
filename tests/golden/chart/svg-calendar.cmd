stint report cpu_hours --every day --zone UTC --from 2024-03-28 --to 2024-04-02 --chart calendar --format svg | sh "$TOP/tests/golden/mask.sh"
