"""OpenAI Responses."""
