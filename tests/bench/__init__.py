"""Measures: speed as a share of an empty falcon application's, in the same run on the same machine."""
