"""Support for other libraries and tools: one module for each, most with an extra to install.

Each module imports its library when it is used; the core imports none of them.
"""
