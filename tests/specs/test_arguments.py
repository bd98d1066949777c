import pytest

from misstep.contracts.trace import Call


def keys(tools_of, compare, arguments, rest=""):
    tools = tools_of(f"tools: {{t: {{kind: none, compare: {compare}, {rest}}}}}")
    return tools.get("t").counted_arguments(arguments)


@pytest.mark.parametrize(
    ("compare", "one", "other"),
    [
        ("{x: casefold}", {"x": " Bo  Li"}, {"x": "bo li"}),
        ("{x: number}", {"x": "1200"}, {"x": 1200.0}),
        ("{x: text}", {"x": 30}, {"x": "30"}),
        ("{x: moment}", {"x": "2024-05-01 10:00"}, {"x": "2024-05-01T10:00:00"}),
        ("{x: set}", {"x": ["a", "b", "a"]}, {"x": ["b", "a"]}),
        ("{x: set}", {"x": "a"}, {"x": ["a"]}),
        ("{x: {unordered: true}}", {"x": ["a", "b"]}, {"x": ["b", "a"]}),
        ("{x: {each: number}}", {"x": ["1", 2]}, {"x": [1, "2"]}),
        ("{x: {items: [id], unordered: true}}", {"x": [{"id": 1, "n": "a"}, {"id": 2}]}, {"x": [{"id": 2}, {"id": 1}]}),
        ("{a: {zip: [a, b], unordered: true}}", {"a": ["1", "2"], "b": ["8", "9"]}, {"a": ["2", "1"], "b": ["9", "8"]}),
        ("{x: free}", {"x": "anything"}, {}),
        ("{}", {"x": 5.0, "y": None}, {"x": 5}),
    ],
)
def test_arguments_that_mean_the_same_have_the_same_keys(tools_of, compare, one, other):
    assert keys(tools_of, compare, one) == keys(tools_of, compare, other)


@pytest.mark.parametrize(
    ("compare", "one", "other"),
    [
        ("{}", {"x": "5"}, {"x": 5}),
        ("{}", {"x": 1}, {"x": True}),
        ("{}", {"x": ["a", "b"]}, {"x": ["b", "a"]}),
        ("{x: {each: number}}", {"x": [1, 2]}, {"x": [2, 1]}),
        ("{x: {unordered: true}}", {"x": ["a", "a"]}, {"x": ["a"]}),
        ("{a: {zip: [a, b], unordered: true}}", {"a": ["1", "2"], "b": ["8", "9"]}, {"a": ["2", "1"], "b": ["8", "9"]}),
        ("{a: {zip: [a, b]}}", {"a": ["1"], "b": ["8"]}, {"a": ["1"]}),
    ],
)
def test_arguments_that_differ_have_other_keys(tools_of, compare, one, other):
    assert keys(tools_of, compare, one) != keys(tools_of, compare, other)


def test_parameters_that_are_compared_together_have_one_key(tools_of):
    found = keys(tools_of, "{a: {zip: [a, b]}}", {"b": ["8"], "a": ["1"], "c": 1})
    assert [name for name, _ in found] == ["a,b", "c"]


def test_a_default_counts_as_absent_under_its_profile(tools_of):
    rest = "defaults: {n: 5, s: all}"
    assert keys(tools_of, "{n: number}", {"n": "5.0", "s": "all"}, rest) == []
    assert keys(tools_of, "{n: number}", {"n": 6, "s": "ALL"}, rest) == [("n", "6"), ("s", '"ALL"')]


def test_undeclared_arguments_and_bare_strings(tools_of):
    tools = tools_of("""
        tools:
          find: {kind: read, aliases: [mcp__crm__find], parameters: {query: text}}
          move: {kind: read, parameters: {a: text, b: text}}
          any: {kind: read}
        """)
    find, move, free = (tools.get(name) for name in ("find", "move", "any"))
    assert find.undeclared({"query": 1, "limit": 2}) == ["limit"]
    assert free.undeclared({"x": 1}) == []
    assert find.bare_string("open tickets") == {"query": "open tickets"}
    assert move.bare_string("a") is None
    assert free.bare_string("a") is None
    assert tools.get("mcp__crm__find") is find
    assert tools.get("crm__find") is None
    assert [tool.name for tool in tools] == ["find", "move", "any"]


@pytest.mark.parametrize(
    ("name", "rule", "domain"),
    [("mail.send", "", "mail"), ("send", "", "office"), ("mail.send", "domain: post", "post")],
)
def test_domain_of_a_tool(tools_of, name, rule, domain):
    assert tools_of(f"tools: {{{name}: {{kind: none, {rule}}}}}").get(name).domain == domain


def test_a_reference_call_as_the_authorization_it_amounts_to(tools_of):
    tools = tools_of("""
        tools:
          create:
            kind: write
            compare: {title: casefold, body: free}
            defaults: {color: blue}
            writes:
              - {action: create, entity: "event:{result.id}", set: {title: arguments.title}}
              - {action: send, entity: "email:new", follows: 0}
          move: {kind: write, writes: [{action: move, for_each: arguments.ids, entity: "card:{item}"}]}
        """)
    call = Call(0, 0, "create", {"title": "Lunch", "body": "…", "color": "blue", "at": None})
    (created,) = tools.get("create").pattern_of(call)
    assert (created.tool, created.action, created.entity, created.created) == ("create", "create", None, "event")
    assert (created.arguments, created.key) == ({"title": "Lunch"}, (("title", '"lunch"'),))
    moved = tools.get("move").pattern_of(Call(0, 0, "move", {"ids": ["1", "2"]}))
    assert [(one.entity, one.created) for one in moved] == [("card:1", None), ("card:2", None)]


def test_needs_of_the_state(tools_of):
    cancel = tools_of("""
        tools:
          cancel:
            kind: write
            needs:
              - {state.status: "^pending$", arguments.item: {in: state.items.*.id}}
              - {arguments.force: true}
            writes:
              - {action: cancel, entity: "order:{arguments.id}", replace: result,
                 leaves: {status: cancelled, why: arguments.why}}
        """).get("cancel")
    state = {"status": "pending", "items": [{"id": "a"}, {"id": "b"}]}
    assert cancel.needs_hold(state, {"item": "a"})
    assert cancel.needs_hold(state, {"item": ["a", "b"]})
    assert not cancel.needs_hold(state, {"item": ["a", "c"]})
    assert not cancel.needs_hold(state | {"status": "delivered"}, {"item": "a"})
    assert cancel.needs_hold({}, {"force": True})
    assert cancel.leaves({"id": "1"}) == [{"status": "cancelled"}]
    assert cancel.leaves({"why": "late"}) == [{"status": "cancelled", "why": "late"}]


def test_a_result_that_the_harness_cut(tools_of):
    tools = tools_of('truncated_when: "\\\\[truncated \\\\d+ chars\\\\]$"\ntools: {}')
    assert tools.truncated("row 1 … [truncated 9000 chars]")
    assert not tools.truncated("[truncated 9000 chars] was said")
