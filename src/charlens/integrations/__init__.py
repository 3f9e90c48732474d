"""charlens inside other libraries: one module for each, with an extra of its own."""
