stint quarantine --zone UTC --format html | grep -v '<style>' | sed -E 's/[0-9-]{10} [0-9:]{8}/NOW/'
