stint report cpu_hours --every day --zone UTC --from 2024-03-28 --to 2024-04-02 --chart area --quiet --width 80 | sed '/^Period/,$d'
