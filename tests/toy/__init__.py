"""A toy instruction set: what a new target needs, and nothing else.

Its machine has a cell for each value. An instruction is a word operation: an opcode, the cells it
writes, the cells or numbers that it reads.
"""
