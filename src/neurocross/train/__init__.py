"""Training of the cost-decrement prediction model; the only part of the package that imports torch."""
