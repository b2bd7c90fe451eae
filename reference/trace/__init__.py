"""The trace: its vocabulary, the writer and the reader."""
