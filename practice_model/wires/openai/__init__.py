"""What the two OpenAI APIs share."""
