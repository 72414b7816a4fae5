"""Tests of `explorer.draw`."""
