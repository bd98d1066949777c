import pytest

from misstep.contracts.trace import Call
from misstep.specs.paths import MISSING

ORDERS = """
tools:
  orders.modify:
    kind: write
    failed_when: {result: "^Error"}
    writes: [{action: update, entity: "order:{arguments.order_id}", replace: result}]
"""


def test_replace_gives_a_field_for_each_key_of_the_new_record(tools_of, run):
    ran = run(tools_of(ORDERS), "orders.modify", {"order_id": "#W1"}, result='{"b": {"y": 1, "x": 2.0}, "a": 50.0}')
    assert ran.entities == ["order:#W1"]
    assert ran.fields == [{"b": '{"x":2,"y":1}', "a": "50"}]
    row = ran.writes[0]
    assert (row.tool, row.action, row.domain, row.effect) == ("orders.modify", "update", "orders", "replace")
    assert (row.item, row.opaque, row.outcome, row.follows, row.actor) == (0, False, "applied", None, "agent")


def test_a_replacement_whose_result_is_not_there_is_opaque(tools_of, run):
    tools = tools_of(ORDERS)
    failed = run(tools, "orders.modify", {"order_id": "#W1"}, result="Error: cancelled")
    assert [(row.outcome, row.opaque, row.fields) for row in failed.writes] == [("failed", True, [])]
    reference = tools.get("orders.modify").writes(Call(0, 0, "orders.modify", {"order_id": "#W1"}), MISSING, "applied")
    assert [(row.outcome, row.opaque, row.fields) for row in reference] == [("applied", True, [])]


CALENDAR = """
home_domains: [corp.example]
own_addresses: [Me@corp.example]
tools:
  calendar.create:
    kind: write
    parameters: {title: text, start: text, participants: list, note: text}
    writes:
      - {action: create, entity: "event:{result.id}", set: {title: arguments.title, start: arguments.start}}
      - {action: send, entity: "email:new", set: {subject: "Invitation: {arguments.title}"},
         recipients: arguments.participants, follows: 0, domain: mail, when: {arguments.participants: "@"}}
"""


def test_one_call_has_several_effects_and_one_follows_the_other(tools_of, run):
    arguments = {
        "title": "Review",
        "start": None,
        "participants": ["Bo@Corp.example", "me@corp.example", "bo@corp.example"],
    }
    ran = run(tools_of(CALENDAR), "calendar.create", arguments, result='{"id": 7}', step=3, position=2)
    assert ran.entities == ["event:7", "email:new:3.2.1"]
    assert [row.effect for row in ran.writes] == ["create", "create"]
    assert [row.follows for row in ran.writes] == [None, 0]
    assert [row.domain for row in ran.writes] == ["calendar", "mail"]
    assert [row.recipients for row in ran.writes] == [[], ["bo@corp.example"]]
    assert ran.fields == [{"title": '"Review"'}, {"subject": '"Invitation: Review"'}]


def test_an_effect_happens_only_where_its_condition_holds(tools_of, run):
    ran = run(tools_of(CALENDAR), "calendar.create", {"title": "Review", "participants": []}, result='{"id": 7}')
    assert ran.entities == ["event:7"]


def test_a_created_entity_without_an_id_is_new(tools_of, run):
    ran = run(tools_of(CALENDAR), "calendar.create", {"title": "Review"}, has_result=False, step=4)
    assert (ran.entities, ran.outcome, ran.codes) == (["event:new:4.0.0"], "unknown", [])


@pytest.mark.parametrize(
    ("addresses", "reached", "external"),
    [
        (["a@corp.example"], ["a@corp.example"], False),
        ("a@corp.example; B@Other.example", ["a@corp.example", "b@other.example"], True),
        ("Ann <a@corp.example>", ["a@corp.example"], False),
        (["somebody"], ["somebody"], True),
        (["me@corp.example"], [], False),
        ([["x@other.example"], None], ["x@other.example"], True),
        (None, [], False),
    ],
)
def test_recipients_outside_of_home_are_external(tools_of, run, addresses, reached, external):
    tools = tools_of("""
        home_domains: [corp.example]
        own_addresses: [Me@corp.example]
        tools:
          send:
            kind: write
            writes: [{action: send, entity: "email:new", recipients: [arguments.to, arguments.cc]}]
        """)
    row = run(tools, "send", {"to": addresses}, result="ok").writes[0]
    assert (row.recipients, row.external) == (reached, external)


def test_an_effect_can_be_declared_external_or_not(tools_of, run):
    tools = tools_of("""
        tools:
          post: {kind: write, writes: [{action: post, entity: "page:new", external: true}]}
          mail: {kind: write, writes: [{action: send, entity: "email:new", recipients: arguments.to}]}
        """)
    assert run(tools, "post", {}, result="ok").writes[0].external
    assert not run(tools, "mail", {"to": "a@anywhere.example"}, result="ok").writes[0].external


def test_a_read_that_changes_state_writes_each_record_it_shows(tools_of, run):
    tools = tools_of("""
        tools:
          mail.unread:
            kind: both
            result: yaml
            observes: [{for_each: result, entity: "email:{item.id}", facts: item}]
            writes: [{for_each: result, action: mark_read, entity: "email:{item.id}", set: {read: true}}]
        """)
    ran = run(tools, "mail.unread", {}, result="- id: '3'\n  subject: Hi\n- id: '4'\n  subject: Ho\n")
    assert ran.entities == ["email:3", "email:4"]
    assert [(row.record, row.entity_id, row.field, row.value) for row in ran.shown] == [
        (0, "3", "id", '"3"'),
        (0, "3", "subject", '"Hi"'),
        (1, "4", "id", '"4"'),
        (1, "4", "subject", '"Ho"'),
    ]
    assert run(tools, "mail.unread", {}, result="No unread emails.").writes == []


BATCH = """
tools:
  close:
    kind: write
    idempotency_key: arguments.key
    writes:
      - {action: close, for_each: arguments.ids, entity: "ticket:{item}", set: {status: closed},
         applied_in: result.closed, failed_in: "result.failures.*.id"}
"""


def test_a_batch_has_one_row_a_distinct_element_with_its_own_outcome(tools_of, run):
    result = '{"closed": ["T-1"], "failures": [{"id": "T-2"}]}'
    ran = run(tools_of(BATCH), "close", {"ids": ["T-1", "T-2", "T-2", "T-3"]}, result=result)
    assert [(row.item, row.entity_id, row.outcome) for row in ran.writes] == [
        (0, "T-1", "applied"),
        (1, "T-2", "failed"),
        (2, "T-3", "applied"),
    ]
    assert ran.codes == ["batch-duplicate"]


@pytest.mark.parametrize(
    ("ids", "result", "outcomes"),
    [
        (["T-1"], "closed", ["applied"]),
        ("T-1", "closed", ["applied"]),
        ([], "closed", []),
        (None, "closed", []),
    ],
)
def test_a_batch_that_tells_nothing_has_the_outcome_of_the_call(tools_of, run, ids, result, outcomes):
    assert [row.outcome for row in run(tools_of(BATCH), "close", {"ids": ids}, result=result).writes] == outcomes


def test_what_is_not_among_the_applied_has_failed_where_only_those_are_told(tools_of, run):
    tools = tools_of(
        BATCH.replace(', failed_in: "result.failures.*.id"', "").replace("result.closed,", "result.closed")
    )
    ran = run(tools, "close", {"ids": ["T-1", "T-2"]}, result='{"closed": ["T-2"]}')
    assert [row.outcome for row in ran.writes] == ["failed", "applied"]


def test_a_used_idempotency_key_makes_the_writes_rejected(tools_of, run):
    tools = tools_of(BATCH)
    close = tools.get("close")
    first, again = (Call(step, 0, "close", {"ids": ["T-1"], "key": 5.0}, result="ok") for step in (1, 2))
    assert close.idempotency_key(first) == close.idempotency_key(again) == "5"
    assert close.idempotency_key(Call(1, 0, "close", {"ids": []})) is None
    repeated = run(tools, "close", {"ids": ["T-1"], "key": 5}, result='{"closed": ["T-1"]}', as_outcome="rejected")
    assert [row.outcome for row in repeated.writes] == ["rejected"]


def test_members_are_added_and_removed_one_by_one(tools_of, run):
    tools = tools_of("""
        fields: {email: {labels: {unordered: true, each: casefold}}}
        tools:
          tag:
            kind: write
            writes:
              - {action: tag, entity: "email:{arguments.id}", add: {labels: arguments.labels}}
              - {action: untag, entity: "email:{arguments.id}", remove: {labels: arguments.old}}
        """)
    ran = run(tools, "tag", {"id": "1", "labels": ["Work", "New"], "old": "Inbox"}, result="ok")
    assert [(row.effect, [(one.field, one.value, one.compare) for one in row.fields]) for row in ran.writes] == [
        ("add", [("labels", '"Work"', '"work"'), ("labels", '"New"', '"new"')]),
        ("remove", [("labels", '"Inbox"', '"inbox"')]),
    ]


def test_delete_touch_and_declared_creation(tools_of, run):
    tools = tools_of("""
        tools:
          wipe: {kind: write, writes: [{action: delete, entity: "file:{arguments.id}", delete: true}]}
          ping: {kind: write, writes: [{action: notify, entity: "user:{arguments.id}"}]}
          book: {kind: write, writes: [{action: book, creates: true, entity: "trip:{result.id}", replace: result}]}
        """)
    assert [
        run(tools, name, {"id": "1"}, result='{"id": "9"}').writes[0].effect for name in ("wipe", "ping", "book")
    ] == [
        "delete",
        "touch",
        "create",
    ]
    assert run(tools, "book", {}, result='{"id": "9", "seats": 2}').fields == [{"id": '"9"', "seats": "2"}]


SOURCES = """
tools:
  update:
    kind: write
    writes:
      - action: update
        entity: "ticket:{arguments.id}"
        set:
          "{arguments.field}": arguments.value
          owner: {literal: arguments.me}
          note: {text: "by {arguments.who}"}
          ref: {path: result, pattern: "ref (\\\\w+)"}
          level: {path: arguments.level, default: 3}
          before: state.status
          flag: true
          number: "0030"
          tags: [a, b]
"""


def test_values_come_from_literals_paths_templates_patterns_defaults_and_the_state(tools_of, run):
    arguments = {"id": "T-1", "field": "status", "value": {"b": 1, "a": 2}, "who": "Bo"}
    ran = run(tools_of(SOURCES), "update", arguments, result="Done, ref X12.")
    assert ran.fields == [
        {
            "status": '{"a":2,"b":1}',
            "owner": '"arguments.me"',
            "note": '"by Bo"',
            "ref": '"X12"',
            "level": "3",
            "before": None,
            "flag": "true",
            "number": '"0030"',
            "tags": '["a","b"]',
        }
    ]
    assert {field.field: field.from_state for field in ran.writes[0].fields}["before"] == "status"


def test_a_field_whose_source_leads_nowhere_is_left_out(tools_of, run):
    ran = run(tools_of(SOURCES), "update", {"id": "T-1", "value": 1, "level": 1}, result="Done.")
    assert list(ran.fields[0]) == ["owner", "level", "before", "flag", "number", "tags"]
    assert not ran.writes[0].opaque


def test_values_that_only_a_missing_result_would_tell_make_a_write_opaque(tools_of, run):
    ran = run(tools_of(SOURCES), "update", {"id": "T-1"}, has_result=False)
    assert ran.writes[0].opaque


def test_a_set_can_take_an_object_of_fields(tools_of, run):
    tools = tools_of("""
        tools:
          patch: {kind: write, writes: [{action: update, entity: "t:{arguments.id}", set: arguments.changes}]}
        """)
    assert run(tools, "patch", {"id": "1", "changes": {"a": 1.0, "b": None}}, result="ok").fields == [
        {"a": "1", "b": "null"}
    ]


def test_an_entity_whose_id_is_not_there_is_unknown_and_noted(tools_of, run):
    tools = tools_of(ORDERS)
    ran = run(tools, "orders.modify", {"id": "#W1"}, result='{"a": 1}')
    assert (ran.writes[0].entity_type, ran.writes[0].entity_id, ran.codes) == ("order", None, ["unbound-record"])
    assert run(tools, "orders.modify", {}, result="Error: no order").codes == []


def test_unreadable_arguments_leave_a_write_without_an_entity(tools_of, run):
    ran = run(tools_of(ORDERS), "orders.modify", None, raw_arguments='{"order_id": ', result='{"a": 1}')
    row = ran.writes[0]
    assert (row.entity_type, row.entity_id, row.arguments_known, row.opaque) == (None, None, False, True)
    assert row.outcome == "applied"


def test_lists_can_be_zipped_and_relations_of_the_task_followed(tools_of, run):
    tools = tools_of("""
        tools:
          swap:
            kind: write
            writes:
              - {for_each: "zip(arguments.old, arguments.new)", action: swap, entity: "item:{item.0}",
                 set: {to: item.1}}
          close:
            kind: write
            writes:
              - {action: close, entity: "thread:{arguments.id}", set: {open: false}}
              - {action: close, for_each: "links(thread:{arguments.id}, holds)", entity: "{item}", set: {open: false},
                 follows: 0}
        """)
    assert run(tools, "swap", {"old": ["1", "2"], "new": ["8", "9"]}, result="ok").fields == [
        {"to": '"8"'},
        {"to": '"9"'},
    ]
    linked = {("thread:5", "holds"): ["mail:1", "mail:2"]}
    ran = run(
        tools, "close", {"id": "5"}, result="ok", links=lambda entity, relation: linked.get((entity, relation), [])
    )
    assert ran.entities == ["thread:5", "mail:1", "mail:2"]
    assert [row.follows for row in ran.writes] == [None, 0, 0]
    assert run(tools, "close", {"id": "5"}, result="ok").entities == ["thread:5"]


def test_an_effect_of_each_element_follows_that_element(tools_of, run):
    tools = tools_of("""
        tools:
          cancel:
            kind: write
            writes:
              - {for_each: arguments.ids, action: cancel, entity: "order:{item}", set: {status: cancelled}}
              - {for_each: arguments.ids, action: refund, entity: "account:{item}", follows: 0}
        """)
    ran = run(tools, "cancel", {"ids": ["1", "2"]}, result="ok")
    assert [(row.item, row.follows) for row in ran.writes] == [(0, None), (1, None), (2, 0), (3, 1)]


def test_conditions_on_a_result_that_is_not_there_do_not_hide_a_write(tools_of, run):
    tools = tools_of("""
        failed_when: {result: "^Error"}
        tools:
          pay: {kind: write, writes: [{action: pay, entity: "bill:{arguments.id}", when: {result.paid: true}}]}
        """)
    assert len(run(tools, "pay", {"id": "1"}, result='{"paid": true}').writes) == 1
    assert len(run(tools, "pay", {"id": "1"}, result='{"paid": false}').writes) == 0
    assert len(run(tools, "pay", {"id": "1"}, has_result=False).writes) == 1
    assert [row.outcome for row in run(tools, "pay", {"id": "1"}, result="Error: no").writes] == ["failed"]


REDACTED = """
redacted: ["[redacted]", "***"]
home_domains: [corp.example]
tools:
  pay:
    kind: write
    writes:
      - {action: pay, entity: "account:{arguments.account}", set: {memo: arguments.memo}, recipients: arguments.to}
    observes: [{entity: "account:{result.id}", facts: result}]
"""


def test_what_was_redacted_is_unknown_wherever_it_stands(tools_of, run):
    tools = tools_of(REDACTED)
    arguments = {"account": "[redacted]", "memo": "x *** y", "to": ["***", "a@corp.example"]}
    ran = run(tools, "pay", arguments, result='{"id": "7", "owner": "[redacted]"}')
    row = ran.writes[0]
    assert (row.entity_type, row.entity_id) == ("account", None)
    assert [(field.value, field.compare) for field in row.fields] == [(None, None)]
    assert row.arguments == [("account", None), ("memo", None), ("to", None)]
    assert (row.recipients, row.external, row.arguments_known) == (["a@corp.example"], False, False)
    assert [(one.field, one.compare) for one in ran.shown] == [("id", '"7"'), ("owner", None)]
    assert ran.codes == ["redacted"]
    assert tools.is_redacted("a *** b")
    assert not tools.is_redacted("a * b")
