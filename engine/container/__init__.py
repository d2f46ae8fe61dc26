"""The file format NAME.ouzel/: specification, manifest, reader, verifier, and the draft that a writer fills."""
