stint report cpu_hours,wall_hours,wait_hours,jobs,jobs_started,jobs_active,users --by cluster,user --top 3 --zone UTC --from 2024-03-28 --to 2024-04-02 --width 80 | sh "$TOP/tests/golden/mask.sh"
