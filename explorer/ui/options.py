"""Where the options that the operator gave at start are kept: Streamlit runs the app as a script."""

MEMORY_VARIABLE = "GPT_EXPLORER_MEMORY"
MODELS_VARIABLE = "GPT_EXPLORER_MODELS"
LESSONS_VARIABLE = "GPT_EXPLORER_LESSONS"
