stint quarantine --cluster birch
