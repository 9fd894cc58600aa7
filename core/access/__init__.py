"""Callers and their permissions: users, groups, keys, passwords, request limits."""
