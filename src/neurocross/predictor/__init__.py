"""The cost-decrement prediction model: its form, what it sees, and its answers without torch."""
