"""Colours: one light and one dark theme, each a full palette, and the contrast between any two colours.

Contrast is the ratio of WCAG 2.2, section 1.4.3; text needs at least 4.5.
"""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

Choice = Literal["system", "light", "dark"]
READABLE = 4.5


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by purpose, as "#rrggbb". The PAIRS below say which text colour lies on which ground."""

    name: Literal["light", "dark"]
    window: str  # ground of the main column
    panel: str  # side list, gauges
    base: str  # inputs, cards
    text: str
    dim: str  # secondary text
    border: str
    hover: str
    selected: str  # chosen row of the side list
    accent: str  # the one strong colour: send, progress, needle
    on_accent: str
    accent_hover: str
    link: str
    bubble: str  # what the user wrote
    code: str  # ground of code
    code_border: str
    alarm: str  # ground of an error message
    on_alarm: str
    alarm_border: str
    note: str  # ground of a plain message
    on_note: str
    highlight: str  # selected text
    on_highlight: str
    part_reads: str  # parts of a whole: a token's time, and the experts that were just used
    part_experts: str
    part_attention: str
    part_rest: str
    pygments: str


LIGHT = Theme(
    name="light",
    window="#fbfcfc",
    panel="#f0f4f4",
    base="#ffffff",
    text="#1a2326",
    dim="#56656b",
    border="#d5dddf",
    hover="#e4ebec",
    selected="#d6e5e8",
    accent="#0f6b7a",
    on_accent="#ffffff",
    accent_hover="#0b5663",
    link="#0b6272",
    bubble="#e3eef0",
    code="#f3f6f7",
    code_border="#dde4e6",
    alarm="#fdeceb",
    on_alarm="#7d1d18",
    alarm_border="#efc4c1",
    note="#e6f1f3",
    on_note="#173f48",
    highlight="#0f6b7a",
    on_highlight="#ffffff",
    part_reads="#a8500f",
    part_experts="#0f6b7a",
    part_attention="#6a4fb3",
    part_rest="#5f6f76",
    pygments="default",
)

DARK = Theme(
    name="dark",
    window="#161b1e",
    panel="#101517",
    base="#1d2427",
    text="#e3eaec",
    dim="#9babb1",
    border="#2e383c",
    hover="#242d31",
    selected="#23373d",
    accent="#56bccd",
    on_accent="#06262c",
    accent_hover="#75cddb",
    link="#7dcfdd",
    bubble="#22343a",
    code="#0f1416",
    code_border="#2a3438",
    alarm="#3a1e1d",
    on_alarm="#f6c9c5",
    alarm_border="#63302d",
    note="#1c3238",
    on_note="#c7e4ea",
    highlight="#2f7f8e",
    on_highlight="#ffffff",
    part_reads="#eda35e",
    part_experts="#56bccd",
    part_attention="#b7a6f2",
    part_rest="#94a3a9",
    pygments="monokai",
)

PAIRS = (
    ("text", "window"),
    ("text", "panel"),
    ("text", "base"),
    ("text", "hover"),
    ("text", "selected"),
    ("text", "bubble"),
    ("text", "code"),
    ("dim", "window"),
    ("dim", "panel"),
    ("dim", "base"),
    ("dim", "hover"),
    ("dim", "selected"),
    ("dim", "bubble"),
    ("dim", "code"),
    ("link", "window"),
    ("link", "bubble"),
    ("link", "code"),
    ("link", "base"),
    ("accent", "window"),
    ("accent", "base"),
    ("accent", "panel"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("on_alarm", "alarm"),
    ("on_alarm", "window"),
    ("on_alarm", "base"),
    ("on_alarm", "selected"),
    ("link", "selected"),
    ("on_note", "note"),
    ("on_highlight", "highlight"),
    ("part_reads", "window"),
    ("part_experts", "window"),
    ("part_attention", "window"),
    ("part_rest", "window"),
)


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb", 0 to 1."""
    linear = []
    for at in (1, 3, 5):
        c = int(colour[at : at + 2], 16) / 255
        linear.append(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable(colour: str, ground: str) -> str:
    """`colour`, moved towards black or white until its contrast on `ground` is READABLE."""
    target = 0 if luminance(ground) > 0.18 else 255
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    for step in range(21):
        mixed = [round(p + (target - p) * step / 20) for p in parts]
        candidate = "#{:02x}{:02x}{:02x}".format(*mixed)
        if contrast(candidate, ground) >= READABLE:
            return candidate
    return "#000000" if target == 0 else "#ffffff"


def resolve(choice: Choice, system: Qt.ColorScheme) -> Theme:
    """The theme that `choice` means while the system prefers `system`."""
    if choice == "system":
        return DARK if system == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def palette(theme: Theme) -> QPalette:
    """Every role of every colour group, so that nothing of the system's theme shines through."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.base,
        role.AlternateBase: theme.panel,
        role.ToolTipBase: theme.base,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.dim,
        role.Text: theme.text,
        role.Button: theme.base,
        role.ButtonText: theme.text,
        role.BrightText: theme.on_alarm,
        role.Light: theme.base,
        role.Midlight: theme.hover,
        role.Dark: theme.border,
        role.Mid: theme.border,
        role.Shadow: theme.border,
        role.Highlight: theme.highlight,
        role.HighlightedText: theme.on_highlight,
        role.Accent: theme.accent,
        role.Link: theme.link,
        role.LinkVisited: theme.link,
    }
    result = QPalette()
    for key, value in colours.items():
        result.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.dim))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.border))
    result.setColor(QPalette.ColorGroup.Disabled, role.HighlightedText, QColor(theme.text))
    return result
