"""The tests mirror the tree; they are a package so that two files may share a name."""
