"""The project's own promises: its commands exist, its lock is complete, its folders keep their direction."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from statistics import median

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import misstep

TARGETS = {"help", "setup", "data", "report", "test", "check", "bench", "clean"}
ELSEWHERE = re.compile(r"(?<![\w.$/-])/(work|root|tmp)/|/opt/(wheels|pypi)")
HOSTS = re.compile(r"\b(pypi|pythonhosted|npmjs|debian)\.(org|com|net)\b")


def makefile_targets(root: Path) -> set[str]:
    return set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(), re.M))


def requirements(root: Path) -> list[Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    texts = chain(project["project"]["dependencies"], project["build-system"]["requires"], *extras)
    return [Requirement(text) for text in texts]


def locked(root: Path) -> dict[str, list[Version]]:
    versions = defaultdict(list)
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", (root / "requirements.lock").read_text(), re.M):
        versions[canonicalize_name(name)].append(Version(version))
    return versions


def modules() -> dict[str, Path]:
    package = Path(misstep.__file__).parent
    return {path.relative_to(package).as_posix(): path for path in sorted(package.rglob("*.py"))}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_of_a_page_is_a_target(root: Path, page: str) -> None:
    named = set(re.findall(r"(?:^ *|`)make ([a-z]+)", (root / page).read_text(), re.M))
    assert {"test"} <= named <= makefile_targets(root)


def test_make_alone_lists_every_target(root: Path) -> None:
    shown = subprocess.run(["make"], cwd=root, capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^  make ([a-z]+) +\S", shown, re.M))
    assert TARGETS <= listed == makefile_targets(root)


def test_changelog_knows_the_version(root: Path) -> None:
    headings = re.findall(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text(), re.M)
    assert headings == ["Unreleased"] or headings[:2] == ["Unreleased", misstep.__version__]


def test_lock_satisfies_every_declared_range(root: Path) -> None:
    versions = locked(root)
    unmet = {
        str(need): [str(version) for version in versions[canonicalize_name(need.name)]]
        for need in requirements(root)
        if not versions[canonicalize_name(need.name)]
        or not all(need.specifier.contains(v) for v in versions[canonicalize_name(need.name)])
    }
    assert unmet == {}


def test_every_declared_range_has_a_lower_bound(root: Path) -> None:
    assert [str(need) for need in requirements(root) if not re.search(r">=|~=|==", str(need.specifier))] == []


def test_every_locked_package_has_a_hash(root: Path) -> None:
    entries = re.split(r"^(?=[\w.-]+==)", (root / "requirements.lock").read_text(), flags=re.M)[1:]
    assert len(entries) > 20
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_every_imported_package_is_a_declared_dependency(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    declared = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    providers = packages_distributions()
    missing = defaultdict(set)
    for name, path in modules().items():
        tops = {module.partition(".")[0] for module in imports(path)}
        for top in tops - {"misstep"} - sys.stdlib_module_names:
            if not declared & {canonicalize_name(provider) for provider in providers.get(top, [])}:
                missing[top].add(name)
    assert missing == {}


def test_nothing_imports_the_command_line() -> None:
    importers = {
        name
        for name, path in modules().items()
        for module in imports(path)
        if module.startswith("misstep.cli") and not name.startswith("cli/")
    }
    assert importers == set()


@pytest.mark.parametrize(
    ("part", "allowed"),
    [
        ("contracts", {"contracts"}),
        ("storage", {"storage", "contracts"}),
        ("label", {"label", "contracts"}),
        ("stats", {"stats", "label", "contracts", "storage"}),
        ("specs", {"specs", "contracts", "storage"}),
        ("ingest", {"ingest", "specs", "contracts", "storage"}),
        ("suites", {"suites", "ingest", "specs", "contracts", "storage"}),
        ("report", {"report", "stats", "label", "ingest", "specs", "contracts", "storage"}),
    ],
)
def test_imports_run_one_way(part: str, allowed: set[str]) -> None:
    crossing = {
        f"{name} imports {module}"
        for name, path in modules().items()
        if name.startswith(f"{part}/")
        for module in imports(path)
        if module.startswith("misstep.") and module.split(".")[1] not in {*allowed, "__version__"}
    }
    assert crossing == set()


def test_no_module_is_longer_than_500_lines_and_half_have_at_most_150() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert {name: length for name, length in lengths.items() if length > 500} == {}
    assert median(lengths.values()) <= 150


def test_no_tracked_file_names_a_machine_path_or_a_package_host(root: Path) -> None:
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    found = []
    for name in filter(None, listing.stdout.split("\0")):
        if not (root / name).is_file():
            continue
        text = (root / name).read_bytes().decode("utf-8", errors="replace")
        for pattern in (ELSEWHERE, HOSTS):
            found += [f"{name}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []


@pytest.mark.parametrize("line", ["see /work" + "/a", "from https://pypi" + ".org/simple", '"/tmp' + '/x"'])
def test_the_search_for_machine_paths_and_hosts_finds_them(line: str) -> None:
    assert ELSEWHERE.search(line) or HOSTS.search(line)
