"""Background jobs: modules enqueue or schedule them, one table holds them, each runs at least once."""
