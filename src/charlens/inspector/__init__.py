"""A page on which a person sees what the bytes of a file are: `charlens inspect`, and the same page in a browser alone.

`answers` takes questions and gives answers, both plain data; it does not know who asks.  `server` carries them over
HTTP on this machine, a worker with Pyodide calls the same functions inside the browser, and `saved` writes the answers
into one file.  The front end is in `page`: HTML, CSS and ES modules as they are, with no build step.
"""
