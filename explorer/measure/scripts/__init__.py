"""What a reader takes home, a script a page: each runs as it is, on torch and `gptcore` alone.

The lines between "What the page shows" and `# ---` are written anew for what is on the screen, by
`explorer.measure.script`.
"""
