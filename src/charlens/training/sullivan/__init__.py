"""The published experiment of Sullivan, "Character Set Encoding Detection using a Support Vector Machine".

Thirteen linear support vector machines over byte n-grams, one a label against the rest, trained and
tested on web pages, with the published figures next to ours.  `command` is the way in.  It is a
reproduction: the built-in model is trained elsewhere, and nothing outside this package uses it.
"""
