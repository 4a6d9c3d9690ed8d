stint jobs -j 104 --fields id,job,task,wall --zone UTC
