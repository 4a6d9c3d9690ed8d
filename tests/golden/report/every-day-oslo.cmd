stint report wall_hours,jobs_active --every day --zone Europe/Oslo --user otto --from 2024-03-29 --to 2024-04-01 | sh "$TOP/tests/golden/mask.sh"
