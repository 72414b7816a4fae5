"""GPT Explorer: the app around `gptcore`. Imports point down: ui -> measure -> gptcore; ui -> draw."""
