"""Files as text: what can go with a message, and why something cannot."""

from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from app import attachments
from app.attachments import AttachError, read
from app.chats.records import Attached


def pdf(path: Path, words: str, password: str = "") -> Path:
    """A PDF of one page with these words."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 200)
    kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(k): NameObject(v) for k, v in kind.items()})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 100 Td ({words}) Tj ET".encode() if words else b"")
    page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße\r\nzwei\rdrei".encode(), "Grüße\nzwei\ndrei"),
        (b"\xef\xbb\xbfwith a mark", "with a mark"),
        ("水の流れ".encode("utf-16"), "水の流れ"),
        (b"def f():\n\treturn 1\n", "def f():\n\treturn 1\n"),
    ],
)
def test_that_text_is_read_as_it_is(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "ファイル 1.py"
    path.write_bytes(data)
    assert read(path) == Attached(path.name, text)


def test_that_the_text_of_a_pdf_is_read(tmp_path: Path) -> None:
    assert read(pdf(tmp_path / "a.pdf", "The ouzel walks under water")).text.strip() == "The ouzel walks under water"


def test_that_a_picture_is_called_one_that_models_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(AttachError, match="models here read text only"):
        read(path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x89PNG\r\n\x1a\n", "no text in UTF-8"),
        (b"text\0with zeros", "no text"),
        (b"", "has no text"),
        (b"  \n\t", "has no text"),
        (b"%PDF-1.7 broken", "no PDF that can be read"),
    ],
)
def test_that_other_files_are_refused_with_the_reason(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(data)
    with pytest.raises(AttachError, match=why):
        read(path)


def test_that_locked_and_scanned_pdfs_folders_and_missing_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, why in (
        (pdf(tmp_path / "locked.pdf", "secret", "word"), "password"),
        (pdf(tmp_path / "scan.pdf", ""), "text recognition"),
        (tmp_path, "no file"),
        (tmp_path / "missing.txt", "no file"),
    ):
        with pytest.raises(AttachError, match=why):
            read(path)
    big = tmp_path / "big.txt"
    big.write_text("a" * 100)
    monkeypatch.setattr(attachments, "MOST", 99)
    with pytest.raises(AttachError, match="more than 99 characters"):
        read(big)
    monkeypatch.setattr(attachments, "LARGEST", 99)
    with pytest.raises(AttachError, match="larger than"):
        read(big)
