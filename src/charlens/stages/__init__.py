"""The stages of detection: one module each, with one entry function.

A stage uses the findings of the stages before it and adds its own.  It never imports
another stage; only `verdict` builds the answer.
"""
