"""The report: figures and tables of a study, as one page."""

from os import environ

environ["MPLBACKEND"] = "agg"
"""Nothing is drawn in a window, so matplotlib must not fail for the name of one."""
