"""What the practice model does next: the tools ranked, slots filled, calls planned, answers in sentences."""
