"""Decides which algorithm, variant and schedule a field's operation gets on a processor."""
