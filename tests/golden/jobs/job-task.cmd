stint job 104.2 --zone UTC | grep -E '^(Job|Task|Wall|Id) '
