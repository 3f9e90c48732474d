"""charlens inside other people's libraries and tools: one module for each, most with its own extra.

Each module imports its tool when it is used; the core imports none of them.
"""
