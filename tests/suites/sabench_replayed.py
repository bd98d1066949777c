"""Whether the traces of sabench, read back, end as the world did that wrote them."""

from collections.abc import Iterator, Sequence

from agreement.sabench import Judged
from misstep.suites.sabench.sources import Sources
from misstep.suites.world import State
from suites.office_suite import goal_holds
from suites.sabench_checks import place
from suites.sabench_labels import Frames, final_states, staged, unlike


def replay_faults(sources: Sources, judged: Sequence[Judged], frames: Frames) -> Iterator[str]:
    """Yield where the replay of an episode does not end as the world did, or the goal is another there."""
    tasks = {row["episode"]: one.instance.task for one, row in judged}

    def initial(episode: str) -> State:
        return sources.office(tasks[episode]).records

    finals = final_states(staged(frames), initial)
    for one, row in judged:
        task, before = one.instance.task, initial(row["episode"])
        wrong = unlike(finals.get(row["episode"], before), one.final)
        if wrong:
            yield f"{place(one)}: {wrong} are not as in the world"
        if row["net_changed"] is not bool(unlike(before, one.final)):
            yield f"{place(one)}: net_changed is {row['net_changed']}"
        if (
            one.record["status"] == "completed"
            and not task.ambiguous
            and row["goal"] is not goal_holds(task, one.final)
        ):
            yield f"{place(one)}: goal is {row['goal']}"
