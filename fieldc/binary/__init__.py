"""Binary files: their sections, symbols and functions. Imports nothing of the compiler."""
