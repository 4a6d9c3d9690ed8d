stint job 103 --zone UTC --format html | grep -v '<style>' | sed -E '/Imported/d'
