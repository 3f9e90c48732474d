"""Everything that makes the data that the core reads; the core never imports it."""
