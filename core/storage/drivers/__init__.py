"""What is imported only with one driver: the other files of `storage` are imported in every server."""
