"""How the window looks: colours, style sheet, icons."""
