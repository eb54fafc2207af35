"""Measurements: kernels, solvers, the paper's tables."""
