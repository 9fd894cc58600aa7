"""``make cluster``: several hosts over one database on this machine; what they are told to survive, and what is counted."""
