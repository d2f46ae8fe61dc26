"""Why pip could not fetch a file, in our own words, by what its log says: pip speaks English, and of its own options."""

from engine.words import say

# Told apart by what pip and urllib3 write, the surest signs first: where nothing could be reached pip also says that it found no version.
_PROXY = ("proxyerror", "tunnel connection failed", "proxy authentication")
_CERTIFICATE = ("sslerror", "certificate_verify_failed", "certificate verify failed")
_NO_NAME = ("nameresolutionerror", "name resolution", "name or service not known", "getaddrinfo failed", "nodename nor servname")
_NO_WAY = ("network is unreachable", "no route to host", "connection refused", "newconnectionerror", "failed to establish a new connection")
_SLOW = ("readtimeouterror", "connecttimeouterror", "read timed out", "connection timed out", "timed out")
_BROKEN = ("connection broken", "connection aborted", "connection reset", "incompleteread", "protocolerror")
_NOTHING = ("no matching distribution found", "could not find a version")
_NO_PIP = ("no module named pip",)


def why_not_fetched(log: str, returncode: int) -> str:
    """A phrase for brackets. log: all that pip wrote; where that is none of what is known, its last line is quoted."""
    text = log.lower()

    def has(signs: tuple[str, ...]) -> bool:
        return any(sign in text for sign in signs)

    if has(_NO_PIP):
        return say("this Python has no pip; install it, for example with your system's package python3-pip")
    if has(_PROXY):
        return say("the proxy did not let the request through; check the proxy in the settings")
    if has(_CERTIFICATE):
        return say("the certificate of the package index is not trusted here; check the certificate file in the settings")
    if has(_NO_NAME):
        return say("there is no connection to the internet, or no name server answers")
    if has(_NO_WAY):
        return say("the package index cannot be reached")
    if has(_SLOW):
        return say("the package index did not answer in time")
    if has(_BROKEN):
        return say("the connection broke off")
    if has(_NOTHING):
        return say("the package index does not have the file")
    lines = log.strip().splitlines()
    return say('pip reports "{line}"', line=lines[-1][:200]) if lines else say("pip ended with {returncode}", returncode=returncode)
