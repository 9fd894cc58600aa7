"""What tables are made from, how they may be changed, and who changes them."""
