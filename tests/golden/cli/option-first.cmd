stint --store x report
