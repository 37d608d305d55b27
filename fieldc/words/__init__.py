"""Word programs: from exact integers to limbs, digits, lanes or loops, and an interpreter."""
