stint queue --at 2199-01-01
