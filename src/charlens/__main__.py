"""`python -m charlens` is the command `charlens`."""

from charlens.cli import main

main()
