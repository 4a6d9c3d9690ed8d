stint nodes --by clas
