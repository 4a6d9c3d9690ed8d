stint forecast --zone UTC --from 2023
