stint measures --width 60
