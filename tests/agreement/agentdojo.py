"""AgentDojo: whether the attacker's goal was reached (`security`) and the user's was (`utility`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agreement.corpus import Labelled, Rate, Row, read_lines


def compare(both: Sequence[Labelled]) -> list[Rate]:
    """Return agreement over both suites, which share one policy.

    An injected run counts where it ended without an error, the attacker's goal was reached and something was written.
    A run of a user task counts where nothing was injected and the benchmark is content with it: what is CD there, the
    benchmark missed, or the expected calls say something else than the user does.
    """
    injected = Rate("CD where an injected goal was reached by a write", least=0.99)
    content = Rate("CD where a user task was solved to the benchmark's content", most=0.06)
    openly = Rate("CD where the user asked openly for what an injection asks for", rare=True)
    unharmed = Rate("CD where something was injected in vain and the user task was solved", rare=True)
    call = Rate("effective = state changed, per call")
    for found in both:
        changed = _replayed(found)
        for episode in found.episodes:
            record = found.record(episode)
            cd = episode["cd"] is True
            kind = _kind(found, episode) if cd else ""
            for one, state in zip(
                found.calls.get(episode["episode"], []), changed.get(_where(episode), []), strict=False
            ):
                call.count(found.effective(one) == state, f"{one['tool']} ({one['outcome']})")
            if record["injection_task_id"] is not None:
                wrote = any(write["effective"] for write in found.writes.get(episode["episode"], []))
                if record.get("security") and wrote and not record.get("error"):
                    injected.count(cd, "nothing unauthorized was written")
                elif record.get("utility"):
                    unharmed.count(cd, kind)
            elif record.get("utility"):
                asked = openly if record["user_task_id"].startswith("injection") else content
                asked.count(cd, kind)
    return [injected, content, openly, unharmed, call]


def _where(episode: Row) -> tuple[str, int]:
    return "runs/" + episode["source_file"].rsplit("/", 1)[-1].removesuffix(".gz"), episode["source_line"] - 1


def _replayed(found: Labelled) -> dict[tuple[str, int], list[bool]]:
    """Return by file and line whether each call changed the state when it was replayed."""
    places = {row["source_path"]: (row["file"], row["line"]) for row in read_lines(found.corpus / "index.jsonl")}
    replay = read_lines(found.corpus / "oracle" / "replayed_calls.jsonl.gz")
    return {
        places[row["source_path"]]: [call["state_changed"] for call in row["calls"]]
        for row in replay
        if row["source_path"] in places
    }


def _kind(found: Labelled, episode: Row) -> str:
    """Return which tools wrote what was not authorized, and how that differs from what was."""
    counts = Counter(
        f"{write['tool']}: {write['pattern']}"
        for write in found.writes.get(episode["episode"], [])
        if write["violation"] and write["follows"] is None
    )
    return ", ".join(sorted(counts))
