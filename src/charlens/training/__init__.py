"""Training of the models; the core never imports it."""
