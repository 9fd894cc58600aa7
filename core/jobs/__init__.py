"""Work in the background: jobs that modules enqueue or schedule, kept in one table, run at least once."""
