stint job 104 --zone UTC | grep -c '^Job '
