"""What all rooms need: errors, settings, profiles, the state of a request, the clock. Imports nothing of ours."""
