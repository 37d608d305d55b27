"""Integer equations, and what follows from them: values, bounds, identities."""
