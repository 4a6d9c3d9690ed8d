stint report cpu_hours --by user --top 2 --zone UTC --from 2024-03-28 --to 2024-04-02 --ascii | sh "$TOP/tests/golden/mask.sh"
