"""Charts as files: SVG for print, Vega-Lite for everything else; equal charts give equal bytes."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import altair as alt
import vl_convert

_COUNTED = re.compile(r"\b(gradient_|clip)\d+\b")


def vega_lite(chart: alt.Chart) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, with its data in it."""
    made: dict[str, Any] = chart.to_dict()
    return made


def as_json(specification: dict[str, Any]) -> bytes:
    """Return a specification as the content of a file."""
    return (json.dumps(specification, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def as_svg(specification: dict[str, Any]) -> bytes:
    """Return the picture of a specification as SVG."""
    svg: str = vl_convert.vegalite_to_svg(specification, vl_version=_version())
    return (_renumbered(svg) + "\n").encode()


def _renumbered(svg: str) -> str:
    """Return the picture with its own ids counted from 0: Vega counts them through all pictures of a process."""
    places: dict[str, int] = {}
    return _COUNTED.sub(lambda found: f"{found[1]}{places.setdefault(found[0], len(places))}", svg)


@cache
def script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that needs no network and sets `vegaEmbed`."""
    code: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_version())
    return f"(() => {{{code}}})();".replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _version() -> str:
    """Return the version of Vega-Lite that altair writes, as vl-convert names it: `v6.1.0` is `v6_1`."""
    return "_".join(alt.SCHEMA_VERSION.split(".")[:2])
