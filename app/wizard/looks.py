"""The wizard's own style, over that of the application, and the colours of its tones."""

from app.looks.theme import Theme

SHEET = """
#steps {{ background: {panel}; border: none; border-bottom: 1px solid {border}; }}
#step {{ color: {dim}; padding: 3px 2px; border: none; border-bottom: 2px solid transparent; }}
#step[now="true"] {{ color: {text}; font-weight: 600; border-bottom: 2px solid {accent}; }}
#foot {{ background: {panel}; border: none; border-top: 1px solid {border}; }}
#rows {{ background: {base}; border: 1px solid {border}; border-radius: 10px; outline: none; padding: 4px; }}
#rows:focus {{ border: 1px solid {accent}; }}
#plainarea {{ background: transparent; border: none; }}
#plain {{ background: transparent; }}
#page {{ background: {window}; }}
#pullbar {{ background: {note}; border: none; border-bottom: 1px solid {border}; }}
#pullbar QLabel {{ color: {on_note}; background: transparent; }}
#pullbar[tone="bad"] {{ background: {alarm}; }}
#pullbar[tone="bad"] QLabel {{ color: {on_alarm}; }}
"""


def sheet(theme: Theme) -> str:
    """The style sheet for `theme`."""
    return SHEET.format(**{name: getattr(theme, name) for name in theme.__slots__})


def tone_colour(theme: Theme, tone: str) -> str:
    """The colour of a verdict's words."""
    return {"good": theme.link, "bad": theme.on_alarm, "plain": theme.dim}.get(tone, theme.text)
