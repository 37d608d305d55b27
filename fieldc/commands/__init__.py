"""The verbs of the command line, one file each, and what they share."""
