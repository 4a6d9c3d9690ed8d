stint quarantine --zone UTC --format csv | sed 's/,[^,]*$//'
