stint nodes --zone UTC --at 2024-03-31T06:30Z --width 80
