"""YAML in which text stays text: only true, false, null and JSON's numbers are anything else."""

from __future__ import annotations

import re
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Base
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as _Base  # type: ignore[assignment]


class PlainLoader(_Base):
    """A safe loader without YAML 1.1's dates, sexagesimal and octal numbers, and yes/no/on/off."""


PlainLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _starts in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?|[eE][-+]?[0-9]{1,3})$", "-0123456789"),
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("merge", r"^<<$", "<"),
):
    PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_starts))


def _whole(loader: PlainLoader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node))


def _real(loader: PlainLoader, node: yaml.ScalarNode) -> float:
    return float(loader.construct_scalar(node))


PlainLoader.add_constructor("tag:yaml.org,2002:int", _whole)
PlainLoader.add_constructor("tag:yaml.org,2002:float", _real)


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        yaml.YAMLError: the text is not YAML, or asks for something that is not plain data.
        ValueError: a tagged number is none.
    """
    return yaml.load(text, Loader=PlainLoader)  # a subclass of SafeLoader
