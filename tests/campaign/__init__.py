"""What a user does with a prime and formulas that nobody chose: `python -m campaign --seed 1`."""
