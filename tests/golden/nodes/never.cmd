stint top node --never --zone UTC --from 2024-04-01T12:00 --to 2024-04-01T13:00 --format csv --no-header | cut -d, -f1
