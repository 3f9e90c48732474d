"""The kinds of input: files, streams, pools of strings, files in several encodings."""
