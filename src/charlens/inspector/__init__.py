"""The page of `charlens inspect`, which shows the bytes of a file and their meaning; it also runs without a server.

`answers` takes questions and returns answers, both plain data.  `server` sends them over
HTTP on this machine, a worker with Pyodide calls the same functions inside the browser, and `saved` writes the answers
into one file.  The front end is in `page`: HTML, CSS and ES modules as they are, with no build step.
"""
