"""The targets: what `fieldc build` can make, a folder for each family."""
