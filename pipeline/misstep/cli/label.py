"""`misstep label`: add the label tables."""

from __future__ import annotations

from misstep.cli.folder import Folder, ingested
from misstep.cli.output import Json, Quiet, print_json, print_table

#: Labels of episodes that are counted in the end; those of evidence where some episode has them.
_DAMAGE = ("goal", "cd", "goal_cd", "fail_cd", "cd_external_only", "ab", "wrote", "asked", "neither")
_EVIDENCE = ("ecs", "investigation", "bsr", "par", "cas", "gap", "partial", "rule_par")


def command(folder: Folder, json: Json = False, quiet: Quiet = False) -> None:
    """Label every write, attempt and episode of ingested tables.

    Example: misstep label out
    """
    from misstep.contracts.tables import LABELS
    from misstep.label import label
    from misstep.storage.parquet import scan, write
    from misstep.storage.stamp import tables_stamp

    stamp = tables_stamp(folder)
    for name, frame in label(ingested(folder)).items():
        write(folder, name, frame, stamp=stamp)
    labels = scan(folder, "episode_labels").select(*_DAMAGE, *_EVIDENCE).collect()
    asked = [name for name in _EVIDENCE if labels[name].null_count() < labels.height]
    counts = [
        {
            "label": name,
            "true": int(labels[name].sum() or 0),
            "false": int((~labels[name]).sum() or 0),
            "unknown or not asked": labels[name].null_count(),
        }
        for name in (*_DAMAGE, *asked)
    ]
    if json:
        print_json({"folder": str(folder), "episodes": labels.height, "labels": counts})
    elif not quiet:
        print_table(counts, f"{labels.height} episodes")
        print(f"labels are in {folder}: {', '.join(LABELS)}")
