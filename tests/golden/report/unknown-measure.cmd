stint report cpu_hour
