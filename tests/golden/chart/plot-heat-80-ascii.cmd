stint report cpu_hours --by user --every day --zone UTC --from 2024-03-28 --to 2024-04-02 --chart heat --quiet --width 80 --ascii | sh "$TOP/tests/golden/mask.sh" | sed '/^User/,$d'
