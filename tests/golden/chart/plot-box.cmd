stint jobs --fields group,wall --zone UTC --from 2024-03-28 --to 2024-04-02 --chart box --quiet --width 80 | sed '/^Group/,$d'
