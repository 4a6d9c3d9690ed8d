stint report jobs --by usr
