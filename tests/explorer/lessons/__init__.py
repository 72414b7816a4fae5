"""Lessons: the reader, and the lesson that is shipped."""
