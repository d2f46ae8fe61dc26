"""Files that go with a message, as text: UTF-8 and UTF-16 text of any kind, and the text of PDF files."""

import codecs
from mimetypes import guess_type
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.chats.records import Attached
from app.language import number

LARGEST = 64 << 20  # bytes
MOST = 4_000_000  # characters: more than any context holds
BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class AttachError(Exception):
    """A file cannot go with a message; the text says why and what to do."""


def read(path: Path) -> Attached:
    """The file as text. For a thread that may wait. Raises AttachError."""
    try:
        if not path.is_file():
            raise AttachError(_tr("{0} is no file. Attach single files.").format(path.name))
        if path.stat().st_size > LARGEST:
            raise AttachError(_tr("{0} is larger than {1} MB. Attach a part of it.").format(path.name, LARGEST >> 20))
        data = path.read_bytes()
    except OSError as e:
        raise AttachError(_tr("{0} cannot be read ({1}). Check its permissions.").format(path.name, e.strerror)) from e
    text = _pdf(path) if data.startswith(b"%PDF-") else _decoded(path, data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise AttachError(_tr("{0} has no text. A scanned PDF needs text recognition first.").format(path.name))
    if len(text) > MOST:
        raise AttachError(_tr("{0} has more than {1} characters of text. Attach a part of it.").format(path.name, number(MOST)))
    return Attached(path.name, text)


def _decoded(path: Path, data: bytes) -> str:
    encoding = next((name for bom, name in BOMS if data.startswith(bom)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as e:
        kind = guess_type(path.name)[0] or ""
        if kind.startswith(("image/", "audio/", "video/")):
            text = _tr("{0} is no text, and models here read text only. Attach text, code or PDF files.")
        else:
            text = _tr("{0} is no text in UTF-8. Attach text, code or PDF files; save documents of other kinds as PDF first.")
        raise AttachError(text.format(path.name)) from e
    if "\0" in text:
        raise AttachError(_tr("{0} is no text. Attach text, code or PDF files.").format(path.name))
    return text


def _pdf(path: Path) -> str:
    from pypdf import PdfReader  # noqa: PLC0415 (slow to import, and most chats have no PDF)

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise AttachError(_tr("{0} is protected by a password. Remove it, then attach the file again.").format(path.name))
        return "\n\n".join(page.extract_text().strip() for page in reader.pages).replace("\0", "")
    except AttachError:
        raise
    except Exception as e:  # a damaged PDF may fail anywhere in the reader
        raise AttachError(_tr("{0} is no PDF that can be read ({1}).").format(path.name, e)) from e


def _tr(text: str) -> str:
    return QCoreApplication.translate("Attachments", text)
