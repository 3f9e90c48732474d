"""Public datasets as texts to train on: read what others publish, write `<language>/<source>.txt`.

`files` reads JSON lines, parquet and plain text, `wikipedia` the dumps of a wiki, `hub` a dataset of Hugging Face;
`folder` writes what they give.  Nothing here trains: `charlens train --corpus` takes the folder.
"""
