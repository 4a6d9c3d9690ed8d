stint queue --zone UTC --at 2024-04-01T12:30Z --by cluster,partition --width 80
