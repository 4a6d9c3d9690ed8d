stint report users --by group --every day --zone UTC --from 2024-03-28 --to 2024-04-02 --plot --quiet --width 60 --ascii | sh "$TOP/tests/golden/mask.sh" | sed '/^Group/,$d'
