stint usage -u somebody --zone UTC --from 2024-03-28 --to 2024-04-02
