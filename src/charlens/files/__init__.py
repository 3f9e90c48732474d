"""Everything that writes files: documents, line endings, atomic writing, declarations inside text."""
