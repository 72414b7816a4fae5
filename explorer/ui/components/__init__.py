"""Components of our own (Streamlit components v2): each with its HTML, CSS and plain JavaScript."""
