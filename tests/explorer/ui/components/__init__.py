"""Tests of our own components."""
