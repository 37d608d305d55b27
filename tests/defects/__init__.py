"""Defects that really happened, built again on purpose."""
