"""Event log files to `Application`: find, decompress, decode, fold."""
