stint forecast --zone UTC
