"""The parts of the Scaling page, a module a view."""
