"""The style sheet: spacing and corners over Fusion, in the colours of a theme."""

from app.looks.theme import Theme

SEND = 32  # pixels: the side of the button that sends

SHEET = """
QToolTip {{ color: {text}; background: {base}; border: 1px solid {border}; padding: 4px 6px; }}
#sidebar {{ background: {panel}; border: none; border-right: 1px solid {border}; }}
#sidebar QListView {{ background: transparent; border: none; outline: none; }}
#sidebar QListView QLineEdit {{ padding: 2px 6px; }}
QLineEdit QToolButton {{ padding: 0; border: none; border-radius: 0; background: transparent; }}
QLineEdit QToolButton:hover {{ background: transparent; }}
#brand {{ font-weight: 600; }}
#modelbar {{ background: {window}; border: none; border-bottom: 1px solid {border}; }}
#strip {{ background: {panel}; border: none; border-top: 1px solid {border}; }}
#heat {{ background: {window}; border: none; }}
#heat:focus {{ border: 1px solid {accent}; }}
#plainpage {{ background: {window}; border: none; }}
#dim {{ color: {dim}; }}
#heading {{ font-weight: 600; }}
#card {{ background: {base}; border: 1px solid {border}; border-radius: 10px; }}
#card QLabel {{ background: transparent; }}
QLabel[tone="bad"] {{ color: {on_alarm}; }}
QLabel[tone="good"] {{ color: {link}; }}
QLabel[tone="wait"] {{ color: {text}; }}
QLabel[tone="plain"] {{ color: {dim}; }}
QCheckBox, QRadioButton {{ spacing: 8px; }}
QCheckBox:focus, QRadioButton:focus {{ color: {link}; }}
QRadioButton::indicator {{ width: 14px; height: 14px; border: 1px solid {dim}; border-radius: 8px; background: {base}; }}
QRadioButton::indicator:hover, QRadioButton::indicator:focus {{ border: 1px solid {accent}; }}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 5px solid {accent}; border-radius: 8px; background: {base}; }}
QCheckBox::indicator {{ width: 16px; height: 16px; border: 1px solid {dim}; border-radius: 4px; background: {base}; }}
QCheckBox::indicator:hover {{ border: 1px solid {accent}; }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; width: 14px; height: 14px; }}
QCheckBox::indicator:checked {{ background: {accent}; border: 1px solid {accent}; image: url("{tick}"); }}
QCheckBox::indicator:disabled {{ background: {hover}; border: 1px solid {border}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QPushButton {{ outline: none; background: {base}; color: {text}; border: 1px solid {border}; border-radius: 8px; padding: 6px 12px; }}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {selected}; }}
QPushButton:focus {{ border: 1px solid {accent}; }}
QPushButton:disabled {{ color: {dim}; background: transparent; }}
QPushButton[primary="true"] {{ background: {accent}; color: {on_accent}; border: 1px solid {accent}; font-weight: 600; }}
QPushButton[primary="true"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[primary="true"]:focus {{ border: 2px solid {text}; padding: 5px 11px; }}
QPushButton[primary="true"]:disabled {{ background: {hover}; color: {dim}; border-color: {border}; }}
QPushButton[example="true"] {{ text-align: left; padding: 10px 14px; border-radius: 10px; }}
QPushButton[flat="true"] {{ background: transparent; border: 1px solid transparent; }}
QPushButton[flat="true"]:hover {{ background: {hover}; }}
QPushButton#work {{ padding: 1px 8px; min-height: 20px; }}
QPushButton[flat="true"]:focus {{ border: 1px solid {accent}; }}
QToolButton {{ outline: none; background: transparent; border: 1px solid transparent; border-radius: 8px; padding: 5px; color: {text}; }}
QToolButton:hover {{ background: {hover}; }}
QToolButton:focus {{ border: 1px solid {accent}; }}
QToolButton#send {{ background: {accent}; border-radius: {half_send}px; padding: 0; border: none;
  min-width: {send}px; max-width: {send}px; min-height: {send}px; max-height: {send}px; }}
QToolButton#send:hover {{ background: {accent_hover}; }}
QToolButton#send:focus {{ border: 2px solid {text}; }}
QToolButton#send:disabled {{ background: {hover}; }}
QToolButton#latest {{ background: {base}; border: 1px solid {border}; border-radius: 13px; padding: 4px 12px 4px 8px; }}
QToolButton#latest:hover {{ background: {hover}; }}
QSpinBox, QDoubleSpinBox, QTimeEdit {{ padding: 4px 2px; min-height: 20px; }}
QLineEdit, QPlainTextEdit#system {{ placeholder-text-color: {dim}; }}
QComboBox, QLineEdit {{ padding: 4px 8px; min-height: 20px; }}
QComboBox, QSpinBox, QDoubleSpinBox, QTimeEdit, QLineEdit {{ background: {base}; color: {text};
  border: 1px solid {border}; border-radius: 8px;
  selection-background-color: {highlight}; selection-color: {on_highlight}; }}
QAbstractSpinBox QLineEdit {{ border: none; padding: 0; min-height: 0; border-radius: 0; background: transparent; }}
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QTimeEdit:focus, QLineEdit:focus {{ border: 1px solid {accent}; }}
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{ color: {dim}; background: transparent; }}
QComboBox::drop-down {{ border: none; width: 22px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
  border: none; background: transparent; width: 18px; height: 12px; }}
QAbstractSpinBox::up-arrow {{ image: url("{chevron_up}"); width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: url("{chevron}"); width: 10px; height: 10px; }}
QComboBox QAbstractItemView {{ background: {base}; color: {text}; border: 1px solid {border}; selection-background-color: {selected};
  selection-color: {text}; outline: none; padding: 4px; }}
#composer {{ background: {base}; border: 1px solid {border}; border-radius: 18px; }}
#composer[focused="true"] {{ border: 1px solid {accent}; }}
#composer[dragged="true"] {{ border: 2px dashed {accent}; }}
#composer QPlainTextEdit {{ placeholder-text-color: {dim}; background: transparent; border: none; color: {text};
  selection-background-color: {highlight}; selection-color: {on_highlight}; }}
#chips, #chipholder {{ background: transparent; }}
#chip {{ background: {code}; border: 1px solid {border}; border-radius: 8px; }}
#chip QToolButton {{ padding: 3px; }}
#messagebar {{ background: {window}; border: none; }}
#messagebar QToolButton {{ padding: 0; border-radius: 6px; }}
#copycode {{ background: {code}; border: 1px solid {code_border}; padding: 0; border-radius: 6px; }}
#copycode:hover {{ background: {hover}; }}
#transcript {{ background: {window}; border: none; color: {text};
  selection-background-color: {highlight}; selection-color: {on_highlight}; }}
#notice[kind="alarm"] {{ background: {alarm}; border: 1px solid {alarm_border}; border-radius: 10px; }}
#notice[kind="alarm"] QLabel {{ color: {on_alarm}; }}
#notice[kind="note"] {{ background: {note}; border: 1px solid {border}; border-radius: 10px; }}
#notice[kind="note"] QLabel {{ color: {on_note}; }}
QProgressBar {{ background: {hover}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QDialog {{ background: {window}; }}
QTabWidget::pane {{ border: none; }}
QTabBar::tab {{ background: transparent; color: {dim}; padding: 8px 14px; border: none; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
QTabBar::tab:focus {{ color: {link}; }}
QPlainTextEdit#system {{ background: {base}; border: 1px solid {border}; border-radius: 8px; padding: 4px; color: {text}; }}
QPlainTextEdit#system:focus {{ border: 1px solid {accent}; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 2px; }}
QScrollBar::handle:vertical {{ background: {border}; border-radius: 4px; min-height: 32px; }}
QScrollBar::handle:vertical:hover {{ background: {dim}; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 2px; }}
QScrollBar::handle:horizontal {{ background: {border}; border-radius: 4px; min-width: 32px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QMenu {{ background: {base}; color: {text}; border: 1px solid {border}; padding: 4px; }}
QMenu::item {{ padding: 6px 22px 6px 14px; border-radius: 6px; }}
QMenu::item:selected {{ background: {selected}; color: {text}; }}
QMenu::item:disabled {{ color: {dim}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 4px 8px; }}
"""


def sheet(theme: Theme, scale: float, chevron: str, chevron_up: str, tick: str) -> str:
    """The style sheet for `theme` and a text size, 1 for the usual; the paths are arrows of combo and spin boxes, and a box's tick."""
    colours = {name: getattr(theme, name) for name in theme.__slots__}
    send = 2 * round(SEND / 2 * max(scale, 1.0))
    return SHEET.format(**colours, send=send, half_send=send // 2, chevron=chevron, chevron_up=chevron_up, tick=tick)
