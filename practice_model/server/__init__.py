"""The practice model as a service: the pure core, the HTTP server, the in-process transport, the log."""
