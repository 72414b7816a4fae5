"""Tests of `explorer.measure`."""
