stint report cpu_hours,wait_hours,jobs --by user --every month --zone UTC --from 2024-03 --to 2024-04 --format json
