stint forecast --zone UTC --as-of 2024-06-02 --target 600 --width 60 | sh "$TOP/tests/golden/mask.sh"
