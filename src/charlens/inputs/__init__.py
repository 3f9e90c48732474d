"""Where bytes come from: files, streams, pools of strings, files in several encodings."""
