"""A repository on a model hub: what is in it, at which commit, and its small files. Bytes of weights go through `engine.setup.ranges`.

Source of the protocol: the Hugging Face hub's HTTP API, through its own client (metadata, authorization, errors).
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from engine.cancel import CancelToken
from engine.container.strict import Malformed, parse_object
from engine.errors import BadCheckpoint, BadRequest, EngineError
from engine.setup.network import endpoint, prepare
from engine.setup.outside import outside
from engine.words import say

if TYPE_CHECKING:
    from huggingface_hub import ModelInfo

MOST_FILES = 20_000
LARGEST = 2**50
LISTING_LIMIT, CHUNK = 64 * 2**20, 2**16
LOOK_S = 30.0  # without a byte of the listing


class HubError(EngineError):
    """The hub cannot be reached, or refuses."""


class NeedsToken(HubError):
    """The repository is gated or private: a token is missing, or its owner has not accepted the licence."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file: etag is what the hub answers with, sha256 of the content where the hub knows it, else the git hash of the file."""

    name: str
    nbytes: int
    sha256: str | None
    etag: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A repository "owner/name" at one commit. licence as the hub names it."""

    endpoint: str
    repo: str
    commit: str
    licence: str | None
    gated: bool
    files: Mapping[str, HubFile]

    def url(self, file: HubFile) -> str:
        """Where the file's bytes are asked for."""
        from huggingface_hub import hf_hub_url  # noqa: PLC0415  half a second that a start without downloads does not need

        return hf_hub_url(self.repo, file.name, revision=self.commit, endpoint=self.endpoint)

    def owns(self, url: str) -> bool:
        """Whether it is an address of the hub itself, which alone gets the token."""
        return urlsplit(url)[:2] == urlsplit(self.endpoint)[:2]


def look(
    repo: str, revision: str | None = None, token: str | None = None, at: str | None = None, cancel: CancelToken | None = None
) -> Listing:
    """List a repository at a revision (a branch, a tag, a commit; None: the main branch).

    Raises BadRequest (no repository's name), NeedsToken, HubError, BadCheckpoint (names of files that are none), Cancelled.
    """
    prepare()
    where = at or endpoint()
    with _sentences(repo, revision, where):
        info = outside(lambda: _info(repo, revision, token, where), cancel or CancelToken())
    files = {}
    for entry in info.siblings or ():
        if not _is_name(entry.rfilename):
            raise BadCheckpoint(
                say(
                    "{repo} names {rfilename}, which is no file name. Do not use this repository.",
                    repo=repo,
                    rfilename=repr(entry.rfilename[:80]),
                )
            )
        if entry.rfilename in files:
            raise BadCheckpoint(
                say("{repo} names {rfilename} twice. Do not use this repository.", repo=repo, rfilename=entry.rfilename[:80])
            )
        if entry.size is None:
            continue
        if isinstance(entry.size, bool) or not isinstance(entry.size, int) or not 0 <= entry.size <= LARGEST:
            raise BadCheckpoint(
                say(
                    "{repo} gives {rfilename} a size that no file has. Do not use this repository.",
                    repo=repo,
                    rfilename=entry.rfilename[:80],
                )
            )
        sha256 = entry.lfs.sha256 if entry.lfs else None
        files[entry.rfilename] = HubFile(entry.rfilename, entry.size, sha256, sha256 or entry.blob_id or "")
    if not info.sha or len(files) > MOST_FILES:
        raise BadCheckpoint(say("{repo} is no model's repository: it has {count} files.", repo=repo, count=len(files)))
    return Listing(where, info.id or repo, info.sha, _licence(info.card_data, info.tags), bool(info.gated), files)


def _info(repo: str, revision: str | None, token: str | None, where: str) -> "ModelInfo":
    """What the library's model_info asks for, but no more of it than a listing can be: an answer may be packed and endless."""
    from httpx2 import Response  # noqa: PLC0415  as above
    from huggingface_hub import ModelInfo, get_session  # noqa: PLC0415  as above
    from huggingface_hub.utils import hf_raise_for_status, validate_repo_id  # type: ignore[attr-defined]  # noqa: PLC0415  as above

    validate_repo_id(repo)
    url = f"{where}/api/models/{repo}" + ("" if revision is None else f"/revision/{quote(revision, safe='')}")
    headers, body = {"Authorization": f"Bearer {token}"} if token else {}, bytearray()
    with get_session().stream("GET", url, headers=headers, params={"blobs": True}, timeout=LOOK_S) as answer:
        for chunk in answer.iter_bytes(CHUNK):
            body += chunk
            if len(body) > LISTING_LIMIT:
                raise BadCheckpoint(say("{repo} is no model's repository: the list of its files does not end. Do not use it.", repo=repo))
        kept = {k: v for k, v in answer.headers.items() if k.lower().startswith(("x-", "content-type", "retry-after"))}
        hf_raise_for_status(Response(answer.status_code, headers=kept, content=bytes(body), request=answer.request))
    try:
        return ModelInfo(**parse_object(bytes(body)))  # type: ignore[no-untyped-call]
    except (Malformed, TypeError, ValueError, KeyError, AttributeError) as e:
        raise HubError(say("{where} does not answer as a hub does. Check its address.", where=where), repr(e)) from e


def _is_name(name: str) -> bool:
    """Whether it is a path below its repository."""
    return len(name) <= 1000 and name.isprintable() and "\\" not in name and ":" not in name and not {"", ".", ".."} & set(name.split("/"))


def _licence(card: object, tags: object) -> str | None:
    named = getattr(card, "license", None)
    if isinstance(named, str):
        return named
    return next((t.removeprefix("license:") for t in tags or () if str(t).startswith("license:")), None)  # type: ignore[attr-defined]


@contextmanager
def _sentences(repo: str, revision: str | None, where: str) -> Iterator[None]:
    """Errors of the hub's client as sentences."""
    from httpx2 import HTTPError  # noqa: PLC0415  as above
    from huggingface_hub import errors  # noqa: PLC0415  as above

    try:
        yield
    except errors.HFValidationError as e:
        raise BadRequest(say("{repo} is no repository's name. Give it as owner/name.", repo=repr(repo[:100]))) from e
    except errors.GatedRepoError as e:
        raise NeedsToken(
            say(
                "{repo} is only for those who accepted its licence. Accept it on {where}/{repo}, then give an access "
                "token of that account.",
                repo=repo,
                where=where,
            ),
            str(e),
        ) from e
    except errors.RepositoryNotFoundError as e:
        words = say(
            "{where} has no model {repo}, or it is private. Check its name; a private one needs an access token.", where=where, repo=repo
        )
        raise NeedsToken(words, str(e)) from e
    except errors.RevisionNotFoundError as e:
        raise HubError(
            say("{repo} has no revision {revision}. Check its name on {where}/{repo}.", repo=repo, revision=revision, where=where), str(e)
        ) from e
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, HTTPError, OSError) as e:
        status = getattr(getattr(e, "response", None), "status_code", None)
        if not status and "CERTIFICATE_VERIFY_FAILED" in str(e):
            raise HubError(
                say(
                    "The certificate of {where} is not trusted. If your network has certificates of its own, name their "
                    "file in the settings.",
                    where=where,
                ),
                str(e),
            ) from e
        why = say("it answered {status}", status=status) if status else no_answer(e)
        raise HubError(say("{where} cannot be reached ({why}). Check the network and try again.", where=where, why=why), str(e)) from e


def no_answer(error: Exception) -> str:
    """What kept an answer away, as a phrase; an error's own name where there is none."""
    name = type(error).__name__
    if "Timeout" in name:
        return say("it did not answer in time")
    return {"ConnectError": say("no connection"), "UnsupportedProtocol": say("its address does not begin with https://")}.get(name, name)


def checked(file: HubFile, data: bytes) -> bytes:
    """`data` where it is the file's content. Raises BadCheckpoint."""
    if file.sha256:
        found, wanted = hashlib.sha256(data).hexdigest(), file.sha256
    else:
        found, wanted = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(), file.etag
    if len(data) != file.nbytes or found != wanted:
        raise BadCheckpoint(
            say("{name} differs from what the hub says that it is. Try again; if that fails, its repository is damaged.", name=file.name)
        )
    return data


def account(token: str, at: str | None = None, cancel: CancelToken | None = None) -> str:
    """The name of the account that `token` belongs to. Raises NeedsToken where the hub refuses it, HubError, Cancelled."""
    prepare()
    from huggingface_hub import HfApi, errors  # noqa: PLC0415  as above

    where = at or endpoint()
    try:
        answer = outside(lambda: HfApi(endpoint=where, token=token).whoami(), cancel or CancelToken(), LOOK_S)
    except errors.HfHubHTTPError as e:
        if e.response.status_code in (401, 403):
            raise NeedsToken(
                say("{where} does not know this access token. Copy it again from your account, or make a new one.", where=where)
            ) from None
        raise HubError(
            say(
                "{where} cannot be reached ({why}). Check the network and try again.",
                where=where,
                why=say("it answered {status}", status=e.response.status_code),
            )
        ) from None
    except Exception as e:
        if isinstance(e, EngineError):
            raise
        raise HubError(
            say("{where} cannot be reached ({why}). Check the network and try again.", where=where, why=no_answer(e))
        ) from None
    return str(answer.get("name") or say("an account without a name"))
