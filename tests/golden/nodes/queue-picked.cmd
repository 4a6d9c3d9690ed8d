stint queue --zone UTC --at 2024-04-01T12:30Z -r gpu -s pending --fields id,partition,cpus,gpus --width 80
