stint --frobnicate x report
