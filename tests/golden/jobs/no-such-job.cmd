stint job 4711
