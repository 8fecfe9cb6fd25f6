"""The project's address in its metadata: README's links lead there once it is known."""

import re
from importlib import metadata
from pathlib import Path

import home

ROOT = Path(__file__).parent.parent
ADDRESS = "https://example.org/tilequad"


def test_without_an_address_readme_stays_as_it_is():
    assert home.readme("") == (ROOT / "README.md").read_text("utf-8")
    assert home.urls("") == {}


def test_links_lead_to_the_repository_and_pictures_to_their_files():
    text = home.readme(ADDRESS)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", text)
    assert len(links) > 20
    for mark, target in links:
        assert target.startswith("https://")
        if target.startswith(ADDRESS):
            kind = "raw" if mark else "blob"
            inside = target.removeprefix(f"{ADDRESS}/{kind}/main/").partition("#")[0]
            assert (ROOT / inside).exists()
    assert "![A village" in text
    assert f"({ADDRESS}/raw/main/docs/frontier.webp)" in text
    assert set(home.urls(ADDRESS)) == {"Homepage", "Documentation", "Changelog", "Issues"}


def test_the_installed_package_has_readme():
    found = metadata.metadata("tilequad")
    shown = found.get_payload() or found["Description"]
    assert "Quadtrees for 2D games" in shown
    assert found["Description-Content-Type"].startswith("text/markdown")
