"""The page: offline, complete, every number with what belongs to it."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

from misstep.report.evidence_tables import gaps
from misstep.report.numbers import Numbers
from misstep.report.page import Contents, page
from misstep.report.tables import published
from misstep.stats.metrics import METRICS
from report.conftest import NOTICE, drawn, html_of, listed_of, numbers_of
from report.made_evidence import episode_key
from report.made_tables import MODELS

VOID = {"meta", "img", "link", "br", "input", "hr"}


class Page(HTMLParser):
    """Elements of a page with their attributes, the classes around them and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[tuple[str, ...], tuple[str, ...], str]] = []
        self.open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append((tag, found.get("class", "")))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(tag for tag, _ in self.open), tuple(kind for _, kind in self.open), data))

    def having(self, name: str) -> list[str]:
        """Return the values of an attribute, of all elements."""
        return [found[name] for _, found in self.elements if name in found]

    def words(self) -> str:
        """Return all text that a reader sees."""
        return " ".join(" ".join(text.split()) for tags, _, text in self.texts if not {"script", "style"} & set(tags))


@pytest.fixture(scope="module")
def parsed(html: str) -> Page:
    return Page(html)


def test_elements_are_closed(parsed: Page) -> None:
    assert parsed.open == []


def test_nothing_is_loaded_from_elsewhere(parsed: Page, html: str) -> None:
    addresses = [*parsed.having("src"), *parsed.having("href"), *parsed.having("srcset"), *parsed.having("data")]
    assert [address for address in addresses if re.match(r"(?i)[a-z]+:|//", address)] == []
    assert not [tag for tag, _ in parsed.elements if tag in ("link", "iframe", "object", "base")]
    style = html[html.index("<style>") : html.index("</style>")]
    assert "url(" not in style and "@import" not in style


def test_the_libraries_are_in_the_page_once(html: str) -> None:
    assert html.count("window.vegaEmbed=") + html.count("window.vegaEmbed =") == 1


def test_every_figure_is_there_with_its_text(parsed: Page, html: str, specifications: dict[str, Any]) -> None:
    names = set(specifications)
    assert set(parsed.having("data-figure")) == names
    pictures = [found for tag, found in parsed.elements if tag == "img"]
    assert {found["src"] for found in pictures} == {f"figures/{name}.svg" for name in names}
    assert {found["alt"] for found in pictures} == {one["description"] for one in specifications.values()}
    held = re.search(r'<script type="application/json" id="specifications">(.*?)</script>', html, re.S)
    assert held and set(json.loads(held.group(1))) == names


def test_every_rate_shows_interval_episodes_clusters_and_unknown(html: str) -> None:
    rates = re.findall(r'<span class="rate[^"]*">(.*?</span>)</span>', html)
    assert len(rates) > 100
    for rate in rates:
        assert re.search(r'class="value">[^<]+<', rate)
        assert re.search(r'class="interval">(\[[\d.]+, [\d.]+\]|no interval[^<]*)<', rate), rate
        assert re.search(r'class="basis">\d+ episodes?, \d+ clusters?, \d+ unknown<', rate), rate


def test_no_share_stands_without_its_interval(parsed: Page) -> None:
    bare = [
        text
        for tags, kinds, text in parsed.texts
        if re.search(r"\d %", text)
        and not {"script", "style"} & set(tags)
        and not any(kind.startswith(("rate", "sentences", "basis", "interval")) for kind in kinds)
        and "interval" not in text
    ]
    allowed = re.compile(r"^\s*\d+\.\d % to \d+\.\d %\s*$")  # bounds stand beside the rate that they belong to
    assert [text for text in bare if not allowed.match(text)] == []


def test_numbers_are_those_of_the_estimates(parsed: Page, made: Numbers) -> None:
    words = parsed.words()
    for row in made.of(["cd", "goal"], ["standard"]).to_dicts():
        assert f"{100 * row['estimate']:.1f} % [{100 * row['low']:.1f}, {100 * row['high']:.1f}]" in re.sub(
            r"\s+", " ", words
        )


def test_title_notice_summary_and_sections_are_there(parsed: Page) -> None:
    words = parsed.words()
    assert "A made study" in words and words.count(NOTICE) >= 3
    assert "3 configurations ran 20 tasks from 12 templates: 60 episodes, of which 58 completed." in words
    sections = {found["id"] for tag, found in parsed.elements if tag == "section"}
    assert sections == {
        "tasks", "configurations", "figures", "actions", "ranks", "contrasts", "unknown", "completed", "worst",
        "definitions", "provenance", "ask",
    }  # fmt: skip


def test_links_inside_the_page_lead_somewhere(parsed: Page) -> None:
    targets = set(parsed.having("id"))
    assert {link[1:] for link in parsed.having("href") if link.startswith("#")} <= targets
    assert len(parsed.having("id")) == len(targets)


def test_every_contrast_is_a_sentence(parsed: Page, made: Numbers) -> None:
    said = [text for _, kinds, text in parsed.texts if kinds and "sentences" in kinds and text.strip()]
    assert len(said) == made.contrasts.height
    assert all("zero" in text or "no interval" in text or "nothing to compare" in text for text in said)


def test_tables_tell_what_their_cells_are(parsed: Page) -> None:
    heads = [found for tag, found in parsed.elements if tag == "th"]
    assert heads and all(found.get("scope") in ("col", "row") for found in heads)
    regions = [found for _, found in parsed.elements if found.get("role") == "region"]
    assert all("aria-label" in found or "aria-labelledby" in found for found in regions)


def test_worst_episodes_lead_to_their_explanation(parsed: Page) -> None:
    links = [link for link in parsed.having("href") if link.startswith("episodes/")]
    assert len(links) == 15 + 12 and all(re.fullmatch(r"episodes/[0-9a-f]{32}\.txt", link) for link in links)


def test_definitions_and_ways_to_ask_are_there(parsed: Page) -> None:
    words = parsed.words()
    shown = [metric for metric in METRICS.values() if not metric.evidence]
    assert all(metric.title in words and metric.definition in words for metric in shown)
    assert 'duckdb misstep.duckdb "SELECT pattern' in words and "misstep explain tables/made" in words


def test_unknown_is_told_with_bounds_and_reasons(parsed: Page) -> None:
    words = parsed.words()
    assert "calls_lost" in words and "unknown_outcome" in words and "torn-tail" in words
    assert "65.0 % to 75.0 %" in words  # hasty: 13 of 18 known, 2 unknown


def test_a_figure_that_is_not_drawn_says_why(tables: dict[str, Any], specifications: dict[str, Any]) -> None:
    numbers = numbers_of(tables, strata=[])
    origin = {"label_version": "1", "input": "f", "files": [], "versions": {"misstep": "0"}}
    drawn = {name: one for name, one in specifications.items() if name != "strata"}
    parsed = Page(page(Contents(numbers, published(numbers, tables, str), drawn, {}, origin, [])))
    assert "strata" not in parsed.having("data-figure")
    assert "Not drawn: Damage by stratum. The study names no stratum." in parsed.words()


def test_text_is_escaped(tables: dict[str, Any], specifications: dict[str, Any]) -> None:
    numbers = numbers_of(tables, title="<script>alert(1)</script>", notice="a & b </script>")
    listed = published(numbers, tables, str)
    origin = {"label_version": "1", "input": "f", "files": [], "versions": {"misstep": "0"}}
    odd = {"goal_damage": specifications["goal_damage"] | {"description": "</script><b>"}}
    text = page(Contents(numbers, listed, odd, {}, origin, []))
    assert "<script>alert" not in text and "a & b" not in text and "</script><b>" not in text
    Page(text)


def test_the_page_is_the_same_twice(html: str, tables: dict[str, Any], specifications: dict[str, Any]) -> None:
    assert f'data-configuration="{MODELS[0]}"' in html
    numbers = numbers_of(tables)
    listed = published(numbers, tables, str)
    origin = {"label_version": "1", "input": "f", "files": [], "versions": {"misstep": "0"}}
    contents = Contents(numbers, listed, specifications, {}, origin, [])
    assert page(contents) == page(contents)


@pytest.fixture(scope="module")
def of_cases(cases: Numbers, case_tables: dict[str, Any], case_specifications: dict[str, Any]) -> str:
    return html_of(cases, listed_of(cases, case_tables), case_specifications)


def test_without_evidence_there_is_no_section_of_it(parsed: Page) -> None:
    assert "evidence" not in parsed.having("id") and "#evidence" not in parsed.having("href")
    assert "Exact case success" not in parsed.words()
    assert (
        "Not drawn: Exact success by protocol, Ways to fail, Investigation, read by read. No task of the study asks"
        in parsed.words()
    )


def test_evidence_has_its_section_with_rates_gaps_and_unknowns(of_cases: str, cases: Numbers) -> None:
    parsed = Page(of_cases)
    assert parsed.open == [] and "evidence" in parsed.having("id") and "#evidence" in parsed.having("href")
    words = re.sub(r"\s+", " ", parsed.words())
    row = cases.of(["par"], ["standard"]).filter(configuration="rash").to_dicts()[0]
    assert f"66.7 % [{100 * row['low']:.1f}, {100 * row['high']:.1f}] 3 episodes, 3 clusters, 0 unknown" in words
    cost = cases.of(["query_cost"], ["standard"]).filter(configuration="rash").to_dicts()[0]
    assert f"{cost['estimate']:.2f} [{cost['low']:.2f}, {cost['high']:.2f}]" in words  # no share, so no per cent
    assert "wrong_entity" in words and "infrastructure_failure" in words
    assert all(METRICS[name].definition in words for name in cases.applied)


def test_rates_of_evidence_are_never_bare(of_cases: str) -> None:
    for rate in re.findall(r'<span class="rate[^"]*">(.*?</span>)</span>', of_cases):
        assert re.search(r'class="interval">(\[[\d.]+, [\d.]+\]|no interval[^<]*)<', rate), rate
        assert re.search(r'class="basis">\d+ episodes?, \d+ clusters?, \d+ unknown<', rate), rate


def test_the_summary_tells_evidence(of_cases: str) -> None:
    words = re.sub(r"\s+", " ", Page(of_cases).words())
    assert "Cases solved exactly: from" in words and "Actions ahead of the investigation: from" in words
    assert "Stops ahead of the gold reads" not in words


def test_a_task_that_the_suite_does_not_have_has_no_protocol(case_tables: dict[str, pl.LazyFrame]) -> None:
    known = pl.col("episode") != episode_key("rash", "b0")
    labels = case_tables["episode_labels"].with_columns(known.alias("task_known"), pl.when(known).then("protocol"))
    numbers = numbers_of(case_tables | {"episode_labels": labels}, strata=["domain"])
    assert None in numbers.along("protocol", ["ecs"])["at"]
    parsed = Page(html_of(numbers, listed_of(numbers, case_tables), drawn(numbers)))
    assert "evidence" in parsed.having("id") and "None" not in parsed.words()


def test_what_runs_lacked_that_are_not_scored_is_not_counted(case_tables: dict[str, pl.LazyFrame]) -> None:
    scored = pl.col("episode") != episode_key("rash", "c0")
    labels = case_tables["episode_labels"].with_columns(scored.alias("scored"))
    numbers = numbers_of(case_tables | {"episode_labels": labels}, strata=["domain"])
    assert gaps(numbers, case_tables)["gaps"].sum() == 18
