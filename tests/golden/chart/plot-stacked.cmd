stint report cpu_hours --by group --every day --zone UTC --from 2024-03-28 --to 2024-04-02 --chart stacked --quiet --width 80 | sed '/^Group/,$d'
