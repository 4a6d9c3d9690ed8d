stint forecast --zone UTC --as-of 2023-01-20
