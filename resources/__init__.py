"""Data files: icons, the starter model's fit, licences. Read them through `importlib.resources.files("resources")`."""
