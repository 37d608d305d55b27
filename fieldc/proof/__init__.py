"""Proves finished machine code: reads bytes, never the compiler's own output."""
