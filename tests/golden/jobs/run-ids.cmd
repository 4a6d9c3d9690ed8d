stint jobs -j 104,106 --fields run_id,wall --zone UTC --format csv; stint jobs -j alder:106@1711872000 --fields run_id,id,attempt --format csv
