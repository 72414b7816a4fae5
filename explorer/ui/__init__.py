"""The Streamlit glue: state and address, caches, a page's frame, shared widgets, components."""
