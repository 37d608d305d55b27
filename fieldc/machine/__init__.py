"""This machine and the emulators on it: assembling, loading, calling, checking and timing."""
