"""Tests of `explorer`."""
