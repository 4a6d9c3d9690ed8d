stint report
