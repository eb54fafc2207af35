"""The parts Algorithm 1 is handed: construction, selection, exchange, improvement, perturbation."""
