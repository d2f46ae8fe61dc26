"""Why pip could not fetch a file, in our own words, by what its log says: pip speaks English, and of its own options."""

from engine.words import say

# Told apart by what pip and urllib3 write in small letters, the surest signs first: where nothing could be reached pip also says that it
# found no version.
_KNOWN = (
    (("no module named pip",), say("this Python has no pip; install it, for example with your system's package python3-pip")),
    (
        ("proxyerror", "tunnel connection failed", "proxy authentication"),
        say("the proxy did not let the request through; check the proxy in the settings"),
    ),
    (
        ("sslerror", "certificate_verify_failed", "certificate verify failed"),
        say("the certificate of the package index is not trusted here; check the certificate file in the settings"),
    ),
    (
        ("nameresolutionerror", "name resolution", "name or service not known", "getaddrinfo failed", "nodename nor servname"),
        say("there is no connection to the internet, or no name server answers"),
    ),
    (
        ("network is unreachable", "no route to host", "connection refused", "newconnectionerror", "failed to establish a new connection"),
        say("the package index cannot be reached"),
    ),
    (
        ("readtimeouterror", "connecttimeouterror", "read timed out", "connection timed out", "timed out"),
        say("the package index did not answer in time"),
    ),
    (("connection broken", "connection aborted", "connection reset", "incompleteread", "protocolerror"), say("the connection broke off")),
    (("no matching distribution found", "could not find a version"), say("the package index does not have the file")),
)


def why_not_fetched(log: str, returncode: int) -> str:
    """A phrase for brackets. log: all that pip wrote; where that is none of what is known, its last line is quoted."""
    text = log.lower()
    for signs, told in _KNOWN:
        if any(sign in text for sign in signs):
            return told
    lines = log.strip().splitlines()
    return say('pip reports "{line}"', line=lines[-1][:200]) if lines else say("pip ended with {returncode}", returncode=returncode)
