"""Who calls, and what they may do: users, groups, keys, rights."""
