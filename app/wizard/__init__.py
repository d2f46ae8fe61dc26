"""The wizard: from a folder and a name to a first chat."""
