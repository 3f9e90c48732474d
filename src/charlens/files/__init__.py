"""Everything that writes files: documents, line ends, atomic writing, declarations inside text."""
