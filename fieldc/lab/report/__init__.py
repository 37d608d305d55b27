"""The report: figures and tables of a study, as one page."""
