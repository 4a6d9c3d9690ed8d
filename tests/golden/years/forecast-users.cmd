stint forecast users --zone UTC
