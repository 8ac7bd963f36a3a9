"""The API reference, made by Sphinx from the docstrings.

    make python-docs

The package that is documented is the one that Python finds: PYTHONPATH names a build folder.
"""
import unscatter

project = "unscatter"
copyright = "the authors of unscatter"
version = release = unscatter.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "alabaster"
html_theme_options = {"description": unscatter.__doc__.splitlines()[0], "fixed_sidebar": True}
html_show_copyright = False

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autoclass_content = "class"
# Long signatures of options stay readable.
python_use_unqualified_type_names = True
autodoc_type_aliases = {name: name for name in ("Classes", "Drop", "Graphs", "HandOut", "Key", "Path", "ProgressOption",
                                                "Request", "RowFunction", "When")}
