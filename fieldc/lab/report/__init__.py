"""The report: figures and tables of a study, as one page."""

import logging
import shutil
from os import environ

environ["MPLBACKEND"] = "agg"
"""Nothing is drawn in a window, so matplotlib must not fail for the name of one."""
OWN = "MPLCONFIGDIR"
_given = environ.get(OWN)
logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps fonts is nobody's concern


def remove_folder() -> None:
    """Remove the folder that matplotlib made because it may not write in the user's home."""
    made = environ.get(OWN)
    if made and made != _given:
        shutil.rmtree(made, ignore_errors=True)
