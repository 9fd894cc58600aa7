"""What all rooms need: errors, settings, profiles, readers, what is in force, the clock. Imports nothing of ours."""
