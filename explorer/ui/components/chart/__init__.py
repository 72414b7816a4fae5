"""A chart in the browser, drawn anew in place when its figure changes."""
