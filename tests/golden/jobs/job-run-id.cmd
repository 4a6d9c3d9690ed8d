stint job alder:106@1711872000 --zone UTC --format csv | cut -c1-60
