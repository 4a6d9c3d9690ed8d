stint job 106 --zone UTC --width 60
