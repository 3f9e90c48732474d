"""Drop-ins for the packages that people have: the same names, the same shapes, our answers."""
