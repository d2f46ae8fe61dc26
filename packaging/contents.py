"""What belongs into a bundle: pure lists and rules, for the recipe, for the check of what was built, and for the tests."""

import re

# Modules that something imports where it is there, and that we never use.
EXCLUDED = (
    "readline",  # under the GPL, which this bundle is not; line editing in `ouzel chat` is what it costs
    "_gdbm", "_dbm", "_curses", "curses", "_tkinter", "tkinter", "turtle", "idlelib", "lib2to3", "ensurepip", "venv", "pydoc_data",
    "test", "unittest", "doctest", "pdb",
    "pip", "setuptools", "_distutils_hack", "pkg_resources", "wheel", "Cython", "pyximport", "distutils",
    "pytest", "_pytest", "pytestqt", "hypothesis", "xdist", "mypy", "ruff", "importlinter", "grimp", "trustme",
    "PIL", "PyInstaller", "matplotlib", "IPython", "torch", "transformers", "llama_cpp", "pandas", "scipy",
    "hf_xet",  # bytes are fetched by our own ranges
    "numpy.f2py", "numpy.distutils", "numpy.testing", "numpy.tests",
    "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtTest", "PySide6.QtSql", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets",
    "PySide6.QtDesigner", "PySide6.QtHelp", "PySide6.QtUiTools", "PySide6.QtXml", "PySide6.QtConcurrent", "PySide6.QtPrintSupport",
    "app.screenshots",  # for developers
)

# Files that come along with what is needed, by their place in the bundle. On Linux they include what must be the system's own, since its
# drivers and settings are made for it: the C++ runtime, X11, fonts, GLib and D-Bus; PACKAGES in prove.py has them on a bare Debian. What
# the starter is made with is left out too: it is there already.
DROPPED = re.compile(
    r"""
      /plugins/(sqldrivers|qmltooling|tls|networkinformation|printsupport|egldeviceintegrations|generic|designer|qmllint|qmlls)/
    | /plugins/platforms/\w*(eglfs|linuxfb|vnc|vkkhrdisplay|minimal|minimalegl|directfb|ios|android)\w*\.
    | /plugins/platformthemes/\w*gtk3\w*\.
    | /plugins/platforminputcontexts/\w*virtualkeyboard\w*\.
    | /plugins/wayland-shell-integration/\w*(wl-shell|ivi-shell|fullscreen-shell)\S*\.
    | /plugins/imageformats/\w*(pdf|tiff|webp|wbmp|tga|icns)\w*\.
    | Qt6?(Qml\w*|Quick\w*|VirtualKeyboard\w*|EglFS\w*|EglFsKmsSupport|Pdf|Sql|Test|Designer\w*|WlShellIntegration|Labs\w*)(\.|$|/)
    | /Qt/(qml|libexec|metatypes|modules)/
    | /translations/(?!qtbase_)
    | (^|/)lib(readline|gtk-3|gdk-3|gdbm|gdbm_compat|tcl|tk|ncurses\w*|tinfo)[.\d-]
    | ^/lib(stdc\+\+|gcc_s|X11|X11-xcb|Xau|Xdmcp|Xext|Xrender|fontconfig|freetype|expat|uuid|z|png16|brotli\w+|bsd|md|pcre2-8)\.so
    | ^/lib(glib|gthread|gio|gmodule|gobject)-2\.0\.so
    | ^/lib(dbus-1|systemd|cap|gcrypt|gpg-error|lz4|mount|blkid|selinux)\.so
    | ^/lib(atk-1\.0|atk-bridge-2\.0|cairo(-gobject)?|pango\w*-1\.0|gdk_pixbuf-2\.0)\.so
    | ^/lib(harfbuzz|graphite2|thai|datrie|fribidi|pixman-1|jpeg|epoxy)\.so
    | resources/starter/fit\.npz
    | opengl32sw\.dll | d3dcompiler_
    | (^|/)(tests?|__pycache__)/
    | \.(pyx|pxd|pxi|c|h|pyi|lib|a|prl)$
    """,
    re.VERBOSE | re.IGNORECASE,
)

# What must be there, by its place in the bundle's inner folder.
NEEDED = (
    "starter.ouzel/manifest.json", "starter.ouzel/LICENSE", "resources/catalogue.json", "resources/icons/ouzel.svg",
    "resources/starter/LICENSE", "resources/text/prose.txt", "licences/LICENSE", "licences/NOTICE", "licences/LGPL-3.0.txt",
)


def kept(place: str) -> bool:
    """Whether a file belongs into the bundle. place: its path in the inner folder. The starter and the licence texts are taken whole."""
    place = place.replace("\\", "/")
    return place.startswith(("starter.ouzel/", "licences/")) or DROPPED.search(f"/{place}") is None


def wrong(places: set[str], resources: set[str]) -> list[str]:
    """What a built bundle has too much or too little, as sentences. places: of its inner folder; resources: the project's, as there."""
    places = {p.replace("\\", "/") for p in places}
    out = [f"{p} does not belong into the bundle" for p in sorted(places) if not kept(p)]
    out += [f"{p} is missing in the bundle" for p in sorted({*NEEDED, *filter(kept, resources)} - places)]
    kernels = {p.split("/")[1].split(".")[0] for p in places if re.match(r"kernels_pyx/\w+\..*(so|pyd)$", p)}
    if "compute" not in kernels:
        out.append("the compiled kernels are missing in the bundle")
    out += [f"{p} was written by a run" for p in sorted(places) if p.endswith((".usage", ".lock"))]
    return out
