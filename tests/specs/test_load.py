import pytest

from misstep.contracts.errors import SpecificationError
from misstep.specs.load import load_suite, task_links

SUITE = "schema: misstep.suite/1\nname: office\ntitle: Office\n"
TOOLS = """\
schema: misstep.tools/1
tools:
  tickets.close:
    kind: write
    writes:
      - action: close
        entity: "ticket:{arguments.id}"
        set: {status: closed}
  tickets.create:
    kind: write
    writes: [{action: create, entity: "ticket:{result.id}", set: {title: arguments.title}}]
  tickets.get: {kind: read, aliases: [get_ticket]}
"""


@pytest.fixture
def faults(make_suite):
    """Return a function that gives the lines of the error that some suite files end in, less their folder."""

    def found(files) -> list[str]:
        folder = make_suite({"suite.yaml": SUITE, "tools.yaml": TOOLS, **files})
        with pytest.raises(SpecificationError) as caught:
            load_suite(folder)
        return str(caught.value).replace(f"{folder}/", "").split("\n")

    return found


def test_a_suite_is_read_with_its_tasks_and_states(make_suite):
    suite = load_suite(
        make_suite(
            {
                "suite.yaml": SUITE,
                "tools.yaml": TOOLS,
                "tasks.jsonl": '{"task_id": "a", "state": "s", "links": [["t:1", "blocks", "t:2"]]}\n\n'
                '{"task_id": "b"}\n',
                "states/s.jsonl": [{"entity": "ticket:T:1", "fields": {"n": 50.0}}],
            }
        )
    )
    assert [task.task_id for task in suite.tasks] == ["a", "b"]
    assert suite.task_lines == [1, 3]
    assert suite.state_names == ["s"]
    assert [(one.line, one.entity, one.fields) for one in suite.state("s")] == [(1, "ticket:T:1", {"n": 50.0})]
    assert suite.compiled.get("get_ticket").name == "tickets.get"
    assert task_links(suite.tasks[0])("t:1", "blocks") == ["t:2"]
    assert task_links(suite.tasks[1])("t:1", "blocks") == []
    assert [path.name for path in suite.files] == ["suite.yaml", "tools.yaml", "tasks.jsonl"]


def test_a_suite_without_a_tasks_file_has_no_tasks(make_suite):
    assert load_suite(make_suite({"suite.yaml": SUITE, "tools.yaml": TOOLS})).tasks == []
    assert load_suite(make_suite({"suite.yaml": f"{SUITE}tasks: tasks.jsonl\n"})).tasks == []


def test_text_in_yaml_stays_text(make_suite):
    text = """\
        schema: misstep.tools/1
        tools:
          set:
            kind: write
            writes:
              - action: set
                entity: "a:1"
                set: {due: 2024-05-01, at: 12:30, on: yes, id: 0030, hex: 0x1F, n: 1_000, t: true, i: 5, f: 1.5,
                      z: null, e: }
        """
    rule = load_suite(make_suite({"suite.yaml": SUITE, "tools.yaml": text})).tools.tools["set"].writes[0]
    assert rule.set == {
        "due": "2024-05-01",
        "at": "12:30",
        "on": "yes",
        "id": "0030",
        "hex": "0x1F",
        "n": "1_000",
        "t": True,
        "i": 5,
        "f": 1.5,
        "z": None,
        "e": None,
    }
    assert type(rule.set["i"]) is int


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ("tools: a: b", ["tools.yaml:1: not valid YAML"]),
        ("", ["tools.yaml: the file is empty"]),
        (
            "schema: misstep.tools/1\ntools:\n  a: {kind: read}\n  a: {kind: none}\n",
            ["tools.yaml:4: tools.a: the key stands"],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  mail.send:\n    kind: reed\n    wrties: []\n",
            [
                "tools.yaml:4: tools.mail.send.kind: Input should be",
                "tools.yaml:5: tools.mail.send.wrties: Extra inputs",
            ],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a:\n    kind: write\n",
            ["tools.yaml:3: tools.a: a tool of kind write needs writes"],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a:\n    kind: write\n    writes:\n"
            "      - action: x\n        set: {f: {pth: result.a}}\n",
            [
                "tools.yaml:6: tools.a.writes[0].entity: Field required",
                "tools.yaml:7: tools.a.writes[0].set.f.pth: Extra",
            ],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a:\n    kind: none\n    compare:\n      x: strickt\n",
            ["tools.yaml:6: tools.a.compare.x: Input should be"],
        ),
        ("schema: misstep.tools/1\n", ["tools.yaml:1: tools: Field required"]),
        (
            "schema: misstep.tools/1\ntools:\n  a.b:\n    kind: write\n    writes:\n"
            '      - action: x\n        entity: "t:{argument.x}"\n'
            "  c:\n    kind: none\n    failed_when: {result: (}\n",
            [
                "tools.yaml:7: tools.a.b.writes[0].entity: 'argument.x' is no path: it must start at arguments",
                "tools.yaml:10: tools.c.failed_when: result: '(' is no pattern",
            ],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a: {kind: none, aliases: [b]}\n  b: {kind: none}\n",
            ["tools.yaml:3: tools.a.aliases: 'b' names two tools"],
        ),
        (
            "schema: misstep.tools/1\nallowances:\n  - {id: x, tool: mail.*}\n  - {id: x}\ntools:\n  a: {kind: none}\n",
            [
                "tools.yaml:3: allowances[0].tool: no tool of the file is called 'mail.*'",
                "tools.yaml:4: allowances[1].id: two allowances are called 'x'",
            ],
        ),
        (
            "schema: misstep.tools/1\nallowances: [{id: x, action: mark_raed}]\ntools:\n  a: {kind: none}\n",
            ["tools.yaml:2: allowances[0].action: no tool of the file has the action 'mark_raed'"],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a:\n    kind: none\n    parameters: {x: text}\n"
            "    compare: {y: free}\n",
            ["tools.yaml:6: tools.a.compare.y: the tool declares no parameter 'y'"],
        ),
        (
            "schema: misstep.tools/1\ntools:\n  a:\n    kind: none\n    parameters: {x: list}\n"
            "    compare: {x: {zip: [x, z]}}\n",
            ["tools.yaml:6: tools.a.compare.x.zip[1]: the tool declares no parameter 'z'"],
        ),
        (
            "schema: misstep.tools/1\nextends: base.yaml\ntools: {}\n",
            ["tools.yaml:2: extends: there is no file 'base.yaml'"],
        ),
        (
            "schema: misstep.tools/1\nextends: tools.yaml\ntools: {}\n",
            ["tools.yaml:2: extends: the file extends itself"],
        ),
        (
            "schema: misstep.tools/1\nextends: {a: 1}\ntools: !!python/name:os.system\n",
            ["tools.yaml:3: not valid YAML"],
        ),
    ],
)
def test_every_fault_of_a_tools_file_is_told_with_file_line_and_field(faults, tools, expected):
    found = faults({"tools.yaml": tools})
    assert len(found) == len(expected), found
    for line, start in zip(found, expected, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        (
            '{"task_id": "a"}\n{"task_id": \n{"task_id": 5}\n',
            ["tasks.jsonl:2: not valid JSON", "tasks.jsonl:3: task_id: Input"],
        ),
        ('{"task_id": "a", "task_id": "b"}\n', ["tasks.jsonl:1: not valid JSON (the key 'task_id' stands twice)"]),
        ('{"task_id": "a", "notes": {"x": NaN}}\n', ["tasks.jsonl:1: not valid JSON (NaN"]),
        ('{"task_id": "a", "notes": {"x": "\\ud83d"}}\n', ["tasks.jsonl:1: half a surrogate pair"]),
        ('{"task_id": "a"}\n\n{"task_id": "a"}\n', ["tasks.jsonl:3: task_id: 'a' is the task of line 1 as well"]),
        ('{"task_id": "a", "suite": "b"}\n', ["tasks.jsonl:1: suite: 'b' is not this suite ('office')"]),
        ('{"task_id": "a", "state": "x"}\n', ["tasks.jsonl:1: state: there is no file x.jsonl in 'states'"]),
        ('{"task_id": "a", "overrides": {"x": {}}}\n', ["tasks.jsonl:1: overrides.x: 'x' is no type:id"]),
        (
            '{"task_id": "a", "authorized": [{"tool": "x"}, {"created": "y"}], "reference": [{"tool": "z"}]}\n',
            [
                "tasks.jsonl:1: authorized[0].tool: the tools file has no tool 'x'",
                "tasks.jsonl:1: authorized[1].created: no tool writes an entity of type 'y'",
                "tasks.jsonl:1: reference[0].tool: the tools file has no tool 'z'",
            ],
        ),
        (
            '{"task_id": "a", "authorized_after_clarification": [{"tool": "x"}]}\n',
            ["tasks.jsonl:1: authorized_after_clarification[0].tool: the tools file has no tool 'x'"],
        ),
        ('{"task_id": "a", "goal": [], "reference": []}\n', ["tasks.jsonl:1: reference: a task has either goal or"]),
        ('{"task_id": "a", "goal": [{"entity": "t:1"}]}\n', ["tasks.jsonl:1: goal[0]: name exactly one of is"]),
        ('{"task_id": "a", "ambiguous": true, "authorized": [{}]}\n', ["tasks.jsonl:1: an ambiguous task authorizes"]),
        ('["a"]\n', ["tasks.jsonl:1: Input should be"]),
    ],
)
def test_every_fault_of_a_tasks_file_is_told_with_its_line(faults, tasks, expected):
    found = faults({"tasks.jsonl": tasks})
    assert len(found) == len(expected), found
    for line, start in zip(found, expected, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("files", "start"),
    [
        ({"suite.yaml": "schema: misstep.suite/1\nname: a b\ntitle: T\n"}, "suite.yaml:2: name: String should match"),
        ({"suite.yaml": f"{SUITE}tools: other.yaml\n"}, "suite.yaml:4: tools: there is no file 'other.yaml'"),
        ({"suite.yaml": f"{SUITE}tasks: other.jsonl\n"}, "suite.yaml:4: tasks: there is no file 'other.jsonl'"),
        ({"suite.yaml": "schema: misstep.suite/2\nname: a\ntitle: T\n"}, "suite.yaml:1: schema: Input should be"),
    ],
)
def test_faults_of_a_suite_file(faults, files, start):
    assert faults(files)[0].startswith(start)


def test_a_folder_without_a_suite_file_is_an_error(tmp_path):
    with pytest.raises(SpecificationError, match="there is no such file"):
        load_suite(tmp_path)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (
            '{"entity": "t:1", "fields": {}}\n{"entity": "t:1", "fields": {}}\n',
            "s.jsonl:2: entity: 't:1' stands on line 1",
        ),
        ('{"entity": "t1", "fields": {}}\n', "s.jsonl:1: entity: 't1' is no type:id"),
        ('{"entity": "t:1"}\n', "s.jsonl:1: a line is"),
        ("{\n", "s.jsonl:1: not valid JSON"),
    ],
)
def test_faults_of_a_state_file(make_suite, state, message):
    files = {"suite.yaml": SUITE, "tools.yaml": TOOLS, "tasks.jsonl": [{"task_id": "a", "state": "s"}]}
    suite = load_suite(make_suite({**files, "states/s.jsonl": state}))
    with pytest.raises(SpecificationError) as caught:
        list(suite.state("s"))
    assert message in str(caught.value)


def test_a_tools_file_adds_to_those_it_extends(make_suite):
    base = """\
        schema: misstep.tools/1
        home_domains: [a.example]
        failed_when: {result: "^Error"}
        fields: {order: {note: free, total: number}}
        allowances: [{id: x, action: log}, {id: y, action: log}]
        tools:
          one: {kind: none}
          two: {kind: none}
        """
    middle = "schema: misstep.tools/1\nextends: base/tools.yaml\ntools: {two: {kind: read}}\n"
    top = """\
        schema: misstep.tools/1
        extends: middle.yaml
        home_domains: [b.example]
        fields: {order: {note: strict}, item: {name: casefold}}
        allowances: [{id: x, action: mark}]
        tools:
          three: {kind: write, writes: [{action: mark, entity: "x:1"}, {action: log, entity: "x:1"}]}
        """
    suite = load_suite(
        make_suite({"suite.yaml": SUITE, "tools.yaml": top, "middle.yaml": middle, "base/tools.yaml": base})
    )
    assert {name: tool.kind for name, tool in suite.tools.tools.items()} == {
        "one": "none",
        "two": "read",
        "three": "write",
    }
    assert suite.tools.home_domains == ["b.example"]
    assert suite.tools.failed_when == {"result": "^Error"}
    assert suite.tools.fields == {"order": {"note": "strict", "total": "number"}, "item": {"name": "casefold"}}
    assert {one.id: one.action for one in suite.tools.allowances} == {"x": "mark", "y": "log"}
    assert [path.name for path in suite.files] == ["suite.yaml", "tools.yaml", "middle.yaml", "tools.yaml"]


def test_a_fault_of_an_inherited_tool_is_told_where_it_is_written(faults):
    found = faults(
        {
            "tools.yaml": "schema: misstep.tools/1\nextends: base.yaml\ntools: {}\n",
            "base.yaml": "schema: misstep.tools/1\ntools:\n  a:\n    kind: none\n    dry_run: {result.x: true}\n",
        }
    )
    assert found == ["base.yaml:5: tools.a.dry_run: 'result.x': result is not known here"]
