"""Repair text that was decoded wrongly before it was saved."""
