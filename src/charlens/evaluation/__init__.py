"""Measure charlens and other detectors on several datasets, with tables, pictures and reports.

`plan.carry_out` runs a whole evaluation; `charlens evaluate` is its command.  `datasets` and `made` provide
samples, `peers` has the detectors, `run` asks them all, `judge` grades the answers,
`metrics` and `tables` count, `report` writes.
"""
