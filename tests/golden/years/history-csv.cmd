stint history jobs,users --zone UTC --from 2024 --format csv | sh "$TOP/tests/golden/mask.sh"
