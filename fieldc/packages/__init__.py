"""Ready packages for the users of other languages, each made of proved kernels."""
