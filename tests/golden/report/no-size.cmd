stint report utilization,gpu_utilization --by cluster --zone UTC --from 2024-03-28 --to 2024-04-02 | sh "$TOP/tests/golden/mask.sh"
