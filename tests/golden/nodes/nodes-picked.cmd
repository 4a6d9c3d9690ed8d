stint nodes --zone UTC --at 2024-04-01T06:30Z -s '!idle' --width 80
