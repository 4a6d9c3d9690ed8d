stint doctor --format svg
