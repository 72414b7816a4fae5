"""Playwright in real Chromium: what a person does."""
