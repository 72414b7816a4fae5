"""Lessons: a sequence of screens with sentences, as a file that is data and nothing else."""
