"""A scripted attacker of a running server: ``make attack``."""
