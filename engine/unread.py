"""Why a text or JSON could not be read, in our own words: what Python's parser says of it is English wherever it stands."""

import json

from engine.words import say, sentence


def why_unread(error: Exception) -> str:
    """A phrase for brackets behind a file's name. error: what json.loads, bytes.decode or reading a file raised, or another error."""
    match error:
        case json.JSONDecodeError():
            return say("line {line}, column {column}", line=error.lineno, column=error.colno)
        case UnicodeDecodeError():
            return say("no valid text at byte {at}", at=error.start)
        case RecursionError():
            return say("nested too deeply")
        case FileNotFoundError():
            return say("there is no such file")
        case OSError() if error.strerror:
            return error.strerror
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return say("a number of too many digits")
    return sentence(error)
