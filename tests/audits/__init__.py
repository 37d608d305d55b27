"""Routines of other libraries, proved from their bytes and run: `python -m audits.write`."""
