"""``make cluster``: two hosts on PostgreSQL with a standby; the primary and a host are killed while clients write."""
