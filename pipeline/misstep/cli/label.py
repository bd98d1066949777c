"""`misstep label`: add the label tables."""

from __future__ import annotations

from misstep.cli.folder import Folder, ingested
from misstep.cli.output import Json, Quiet, print_json, print_table


def command(folder: Folder, json: Json = False, quiet: Quiet = False) -> None:
    """Label every write and every episode of ingested tables.

    Example: misstep label out
    """
    from misstep.label import label
    from misstep.storage.parquet import scan, write
    from misstep.storage.stamp import tables_stamp

    stamp = tables_stamp(folder)
    for name, frame in label(ingested(folder)).items():
        write(folder, name, frame, stamp=stamp)
    booleans = ["goal", "cd", "goal_cd", "fail_cd", "cd_external_only", "ab", "wrote", "asked", "neither"]
    labels = scan(folder, "episode_labels").select(booleans).collect()
    counts = [
        {
            "label": name,
            "true": int(labels[name].sum() or 0),
            "false": int((~labels[name]).sum() or 0),
            "unknown or not asked": labels[name].null_count(),
        }
        for name in booleans
    ]
    if json:
        print_json({"folder": str(folder), "episodes": labels.height, "labels": counts})
    elif not quiet:
        print_table(counts, f"{labels.height} episodes")
        print(f"labels are in {folder}/write_labels and {folder}/episode_labels")
