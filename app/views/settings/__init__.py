"""The settings: a dialog, and a file for each of its pages."""
