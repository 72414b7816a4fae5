"""Tests of `explorer.ui`."""
