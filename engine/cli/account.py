"""`ouzel login`, `logout` and `network`: access tokens of a hub, and the way there."""

import getpass
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from engine.cli import options
from engine.cli.console import say
from engine.errors import BadRequest
from engine.setup import network, token
from engine.setup.hub import HubError, NeedsToken, account

Endpoint = Annotated[str | None, typer.Option(help="The hub that the token is for; the usual one if left out.", metavar="URL")]


def login(
    endpoint: Endpoint = None,
    file: Annotated[bool, typer.Option("--file", help="Keep it in a file that only you can read, where there is no keyring.")] = False,
) -> None:
    """Keep an access token for models that ask for an account. It is typed unseen, or read from standard input.

    The token goes into the system's keyring and is sent to that hub alone.
    """
    where = network.address(endpoint) or network.endpoint()
    value = token.check(_asked(where))
    try:
        say(f"This is the token of {account(value, where)}.")
    except NeedsToken:
        raise
    except HubError as e:
        say(f"{e} The token is kept without asking whether the hub knows it.")
    place: token.Place = "keyring"
    if not token.has_keyring():
        if not file and not _consents():
            raise BadRequest(
                f"This system has no keyring. Give --file to keep the token in {token.file_path()}, or set the variable {token.VARIABLE}."
            )
        place = "file"
    token.store(value, place, where)
    say(f"The token for {where} is in {_named(place)}.")


def logout(endpoint: Endpoint = None) -> None:
    """Forget the access token of a hub."""
    where = network.address(endpoint) or network.endpoint()
    places = token.forget(where)
    if places:
        say(f"The token for {where} is removed from {' and '.join(map(_named, places))}. To end it for good, delete it in your account.")
    else:
        say(f"No token for {where} was kept.")
    if (left := token.load(where)) is not None and left.place == "environment":
        say(f"The variable {token.VARIABLE} still holds one. Unset it to stop using it.")


def set_network(
    endpoint: Annotated[str | None, typer.Option(help='The hub, as https://HOST; "" for the usual one.', metavar="URL")] = None,
    proxy: Annotated[str | None, typer.Option(help='A proxy, as http://HOST:PORT; "" for none.', metavar="URL")] = None,
    ca_file: Annotated[
        str | None, typer.Option(help='More certificates to trust, a file in PEM form; "" for none.', metavar="FILE")
    ] = None,
    as_object: options.Json = False,
) -> None:
    """Show, or change, the way to the hub. HF_ENDPOINT and HTTPS_PROXY count first where they are set."""
    now = network.settings()
    if endpoint is not None:
        now = replace(now, endpoint=endpoint or None)
    if proxy is not None:
        now = replace(now, proxy=proxy or None)
    if ca_file is not None:
        now = replace(now, ca_file=Path(ca_file) if ca_file else None)
    if (endpoint, proxy, ca_file) != (None, None, None):
        now = network.change(now)
    fixed = network.from_environment()
    if as_object:
        typer.echo(json.dumps({**asdict(now), "ca_file": None if now.ca_file is None else str(now.ca_file), "from_environment": fixed}))
        return
    for name, value, usual in (
        ("endpoint", now.endpoint, network.ENDPOINT), ("proxy", now.proxy, "none"), ("ca-file", now.ca_file, "the system's certificates")
    ):  # fmt: skip
        note = "  (the environment says otherwise)" if name.replace("-", "_") in fixed else ""
        typer.echo(f"{name:<9} {value or usual}{note}")


def _asked(where: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    say(f"Make an access token that may read at {where}/settings/tokens and paste it here; it does not show.")
    return getpass.getpass("Token: ")


def _consents() -> bool:
    if not sys.stdin.isatty():
        return False
    say(f"This system has no keyring. The token can be kept in {token.file_path()}, which only you can read.")
    return typer.confirm("Keep it there?", err=True)


def _named(place: token.Place) -> str:
    return {"keyring": "the system's keyring", "file": str(token.file_path())}.get(place, "this session's memory")
