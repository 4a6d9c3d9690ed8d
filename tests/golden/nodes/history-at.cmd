stint nodes --history --at 6h
