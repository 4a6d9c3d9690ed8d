stint forecast --zone UTC --as-of 2024-06-02 --target 600 --format csv | sh "$TOP/tests/golden/mask.sh"
