"""Tests of the pages, by AppTest."""
