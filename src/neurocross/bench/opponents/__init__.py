"""Other people's solvers, one adapter each: the same instance, the same clock, judged by the same judge."""
