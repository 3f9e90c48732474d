"""The stages of detection: one module each, with one entry function.

A stage takes what the stages before it found and adds its own finding.  It never imports
another stage; only `verdict` builds the answer.
"""
