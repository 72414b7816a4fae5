"""Tables to plotly figures; `theme` owns every colour and size. No torch, no streamlit."""
