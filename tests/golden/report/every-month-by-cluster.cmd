stint report cpu_hours,jobs --every month --by cluster --zone UTC --from 2024-03 --to 2024-04 | sh "$TOP/tests/golden/mask.sh"
