"""Object files of any origin: their functions, and the memory they make."""
