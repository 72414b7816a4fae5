"""Tests of gptcore."""
