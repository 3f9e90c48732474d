"""charlens inside other people's tools: pandas, polars, old ZIP archives.

Each module imports its tool when it is used; the core imports none of them.
"""
