"""A C package of one field: a header, a C file, an assembly file, and what builds them."""
