"""The Python interface: fields, elements, arrays, and kernels and formulas as functions."""
