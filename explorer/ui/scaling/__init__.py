"""The parts of the Scaling page, a module a view."""

TITLE = "Scaling"
CLAIM = (
    "Eight fields decide every parameter, byte and FLOP of a GPT: all of it is counted here, and "
    "nothing is built."
)
