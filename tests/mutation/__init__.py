"""The mutation gate: every wrong instruction must end the proof, or be shown to be right."""
