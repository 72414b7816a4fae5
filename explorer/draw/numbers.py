"""Numbers in words and in columns."""

import math


def number(value: float, digits: int = 3) -> str:
    """Write a number for a sentence: grouped, a true minus, no digits that say nothing.

    Below the smallest value that `digits` decimals can show, powers of ten are used.
    """
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if float(value).is_integer() and abs(value) < 1e15:
        text = f"{int(value):,}"
    elif abs(value) < 10**-digits:
        mantissa, exponent = f"{value:.{max(digits - 1, 0)}e}".split("e")
        text = f"{mantissa} × {power_of_ten(int(exponent))}"
    else:
        text = f"{value:,.{digits}f}"
    return text.replace("-", "−")


def power_of_ten(exponent: int) -> str:
    """Write 10 to a whole power: 10⁻³."""
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def significant(value: float, digits: int = 4) -> str:
    """Write a number of any size with so many digits that say something: 1,099, 0.04, 3.1 × 10⁻⁹."""
    if not math.isfinite(value):
        return "—" if math.isnan(value) else "∞" if value > 0 else "−∞"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -5 < power < 7:
        text = f"{value:,.{max(digits - 1 - power, 0)}f}" if value else "0"
    else:
        text = f"{mantissa} × {power_of_ten(power)}"
    return text.replace("-", "−")


def both_units(n_bytes: float) -> str:
    """Write bytes in binary and decimal units: MiB (2²⁰) and MB (10⁶), or GiB and GB from 10 GiB on."""
    if n_bytes >= 10 * 2**30:
        return f"{n_bytes / 2**30:,.1f} GiB = {n_bytes / 10**9:,.1f} GB"
    return f"{n_bytes / 2**20:,.2f} MiB = {n_bytes / 10**6:,.2f} MB"


def short(value: float) -> str:
    """Write a large number with three digits: 163 M, 1.64 B, 175 B; T from 10¹² on, then powers."""
    for power, letter in ((12, " T"), (9, " B"), (6, " M"), (3, " k")):
        if 10**power <= value < 10 ** (power + 3):
            return f"{value / 10**power:.3g}{letter}"
    if value < 1e15:
        return f"{value:,.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa} × {power_of_ten(int(exponent))}"


def fixed(value: float, digits: int = 3) -> str:
    """Write a number for a column, where all have the same decimals; what rounds to 0 has no sign."""
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")
