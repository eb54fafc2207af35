"""Routes for fleets whose longest route matters."""
