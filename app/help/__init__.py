"""What helps a person when something is unclear or went wrong: keys, versions, the log, the report of a crash."""
