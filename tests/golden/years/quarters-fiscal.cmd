stint report wall_hours --every quarter --zone UTC --year-starts 7 --from FY2024 | sh "$TOP/tests/golden/mask.sh"
