stint report cpu_hours,jobs --by user --zone UTC --from 2024-03-28 --to 2024-04-02 --chart scatter --quiet --width 80 | sed '/^User/,$d'
