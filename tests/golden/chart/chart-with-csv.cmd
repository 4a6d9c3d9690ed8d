stint report cpu_hours --by user --zone UTC --from 2024-03-28 --to 2024-04-02 --chart pie --format csv
