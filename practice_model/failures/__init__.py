"""What goes wrong on purpose: injected faults of the service, and the mode that errs like real models."""
