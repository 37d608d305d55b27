"""Every input of every kernel at small words, in native code."""
