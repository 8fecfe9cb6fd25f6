"""What the site needs beyond mkdocs: links to the sources, plots, and moving pictures."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
import figures
import gallery

import home

RESULTS = figures.kept()
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let the site know where the repository is."""
    config.repo_url = home.home() or None
    return config


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the plots and the moving pictures that pages ask for."""
    pages = list(files.documentation_pages())
    moving = {name for page in pages for name in gallery.names(page.content_string)}
    for name, content in gallery.moving_pictures(sorted(moving)):
        files.append(File.generated(config, f"gallery/{name}.webp", content=content))
    for page in pages:
        for operation in figures.asked_plots(page.content_string):
            path = posixpath.join(
                posixpath.dirname(page.src_uri), figures.FOLDER, figures.file_name(operation)
            )
            picture = figures.plot(RESULTS, operation)
            files.append(File.generated(config, path, content=picture))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put in the figures, and point links that leave docs/ to the repository.

    As long as the repository has no address, such links are left as text.
    """

    def inside(match: re.Match[str]) -> str:
        text, target = match.groups()
        folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            return match[0]
        home = config.repo_url and config.repo_url.rstrip("/")
        return f"[{text}]({home}/blob/main/{path})" if home else text

    markdown = markdown.replace("<!-- cards -->", gallery.cards())
    return LINK.sub(inside, figures.fill(markdown, RESULTS))
