"""C with a double word."""
