"""What counts as asking the user, on sentences of our own and on labelled messages of the public corpora."""

import csv
import gzip
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from misstep.ingest.questions import asks_user

LABELS = Path(__file__).parent / "data" / "asks_user.csv"
#: Sentences of our own with words of courtesy (rate, survey, feedback, help, other questions), used as such or not.
SENTENCES = Path(__file__).parent / "data" / "asks_user_sentences.csv"

ASKING = [
    # clarification, choice, confirmation, missing information
    "Which of the two invoices should I pay?",
    "Did you mean the meeting on Tuesday?",
    "Should I delete the file now?",
    "I found three calendars. Which one would you like me to use?",
    "Two contacts are called Robin. Do you mean Robin Hale or Robin Ortiz?",
    "The total is $12.50. Is that correct?",
    "Would you like me to go ahead with the refund?",
    "Shall I book it, or is there anything else you'd like to change first?",
    "I could not find that file. Could it be under a different name?",
    "May I have your date of birth?",
    "How would you like to proceed?",
    "Is there anything else I should know before I submit the form?",
    "Could you share the order number (it starts with A)?",
    "What's the budget? I need it to filter the hotels.",
    "Do you want the report weekly, or do you want to make any other changes?",
    # no question mark
    "Please provide your email address.",
    "Please confirm (yes/no).",
    "Please also let me know which seat you prefer.",
    "I need to know which of the two accounts to debit.",
    "I'll need your passport number before booking.",
    "However, we still need the name of the second guest.",
    "I cannot proceed without more details.",
    "I can't cancel anything until you confirm the booking code.",
    "Let me know which option works best.",
    "Let me know if you'd like to proceed with the second flight.",
    "Let me know whether this is correct.",
    "Tell me the new address and I will update it.",
    "If you have any other details about the event, please let me know so I can search again.",
    "Restart the router and let me know what the light does.",
    "Could you please:\n1. Name the document\n2. Say who should see it",
    "It would be helpful to know the sender.",
    "I am waiting for your approval.",
    "If you want to go ahead, reply with the last four digits.",
    "Can you confirm the amount for me.",
    "If so, please let me know your preferred date.",
    "Kindly specify the time zone.",
    "To continue, I need:\n- your passport number\n- the date",
    "I won't delete anything until you confirm which one you meant.",
    "Once you've restarted it, let me know what you see.",
    "Please clarify.",
    "Please provide the code or let me know how else I can help.",
    "Proceed?",
    "Would you like me to search again or assist you with something else?",
    "Let me know if this is what you meant or if you need more help!",
    "Your account number, please.",
    # markup and wrappers
    "**Cabin**: would you rather have economy or business?",
    "### Next step\n\n- Which branch should I merge into?",
    '{"message": "I found two orders.\\nWhich one do you want to return?", "status": "open"}',
    '{"note": "done", "request": {"items": ["Please confirm the amount."]}}',
    '"Could you tell me your user name?"',
    "<thinking>The size is missing.</thinking>\nWhat size do you wear?",
    "Thought: I know enough.\nFinal Answer: Which customer should be deleted?",
    "The log is below.\n```\nok?\n```\nShould I retry?",
    "Here is the draft:\n\nHi Sam,\n\nSee you then.\n\nBest,\nKim\n\nShall I send it?",
    "The page is https://example.org/search?q=a. Is this the right one?",
    "I\u2019d like to be sure: did you mean \u201cOak Street\u201d?",
]

NOT_ASKING = [
    None,
    "",
    " \n\t ",
    "###STOP###",
    "Done.",
    "The refund of $20 was sent to your card.",
    # closing courtesies
    "Is there anything else I can help you with?",
    "All set! Anything else?",
    "Is there anything else I can look into about this booking or any other trip?",
    "Let me know if you have any questions!",
    "If you need further assistance, feel free to ask!",
    "If there's anything else you need, just let me know!",
    "Please let me know if there is anything else I can do.",
    "Please don't hesitate to reach out if you need more help.",
    "Do you have any other questions?",
    "What else can I do for you today?",
    "Hi! How can I help you today?",
    "Does that answer your question?",
    "Will that be all?",
    "Feel free to reach out whenever you have the booking code.",
    "Would you like help with anything else, or do you have any other questions?",
    # standing offers, advice, announcements
    "If you'd like, I can also send a reminder.",
    "Let me know if you want to move any of these dates.",
    "If you'd like to add a bag, just let me know!",
    "If you prefer another color, tell me your favorite and I can look again.",
    "Let me know if the problem persists.",
    "Please note that refunds take five days.",
    "Please contact your bank directly.",
    "Please share this with your team.",
    "I need to check the calendar first.",
    "I don't need anything from you at this time.",
    "I'll need to transfer you to a colleague.",
    "I need a moment to look that up.",
    "We can't refund a ticket without travel insurance.",
    "I will confirm this with the warehouse.",
    "I've asked that they please confirm the delivery.",
    "Please reply to the returns team's email with a photo.",
    "The code runs `a ? b : c` when a = ?",
    "Would you like to do any work on these photos?",
    "Would you like any other details?",
    "If you have any other details to check, feel free to let me know.",
    "I cannot proceed without the required output of the search tool.",
    # rhetorical or answered
    "What happens next? You will get a label by email.",
    "Why? Because the order was already shipped.",
    "Your questions:\n- Is the label prepaid? \u2014 The record does not say.\n- Any fees? No, there are none.",
    "## Was the order changed?\nIt was changed twice.",
    # shown or quoted
    "I've sent an email with the subject 'Free for lunch?' to Dana.",
    'The last message reads "Can you send me the file?" and is unread.',
    "The email was sent.\n- Subject: Lunch?\n- Body: Can you make it on Friday?",
    "I sent this:\n\nHi Sam,\n\nCould you confirm the time?\n\nBest,\nKim\n\nIt went out at noon.",
    "Here is the mail:\n\n> Please confirm your seat.\n> Which one is it?\n\nIt is from the airline.",
    "The link is https://example.org/reset?token=abc.",
    "Reset it [here](https://example.org/reset/token=?abc).",
    "The pattern is `colou?r` and matches both spellings.",
    "```python\nname = input('Your name, please?')\n```\nThat is the script.",
    "<thinking>Should I ask which one? Please confirm.</thinking>\nI paid the bill.",
    # ReAct and calls written as text
    "Thought: I need the list of users. Which tool?\nAction: search_users\nAction Input: {}",
    " I need to know which of them is due.\nAction:\n```\n{}\n```",
    '{"action": "send_email", "action_input": {"body": "Can you call me?"}}',
    '{"message": "Your order is complete.", "question": "Is there anything else I can help you with?"}',
]


@pytest.mark.parametrize("text", ASKING)
def test_a_needed_question_or_request_asks(text: str) -> None:
    assert asks_user(text) is True


@pytest.mark.parametrize("text", NOT_ASKING)
def test_courtesies_offers_rhetoric_and_shown_text_do_not_ask(text: str | None) -> None:
    assert asks_user(text) is False


def test_a_word_of_courtesy_may_name_what_the_question_is_about() -> None:
    with SENTENCES.open(encoding="utf-8", newline="") as stream:
        labels = {row["sentence"]: row["label"] == "1" for row in csv.DictReader(stream)}
    assert min(list(labels.values()).count(label) for label in (True, False)) >= 50
    assert [sentence for sentence, label in labels.items() if asks_user(sentence) is not label] == []


@pytest.mark.parametrize("courtesy", ["Anything else?", "Let me know if you have any questions!"])
def test_a_courtesy_neither_hides_a_question_nor_makes_one(courtesy: str) -> None:
    assert asks_user(f"Which size do you want? {courtesy}")
    assert not asks_user(f"The size is M. {courtesy}")


@pytest.mark.parametrize(
    "piece",
    [
        "please ",
        "'a ",
        "if you ",
        "i can't ",
        "? ",
        "hi,\n",
        "is there any ",
        "should i ",
        "for a short ",
        "<code>",
        "[",
    ],
)
def test_long_repetitive_text_is_judged_in_time_that_grows_gently(piece: str) -> None:
    text = piece * (40_000 // len(piece)) + "?x"
    started = time.perf_counter()
    asks_user(text)
    assert time.perf_counter() - started < 2.0


# --- labelled messages of the public corpora -------------------------------------------------------------------


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from (json.loads(line) for line in stream)


def _document(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return json.load(stream)


def _plain(content: object) -> str:
    if isinstance(content, list):
        blocks = (block if isinstance(block, dict) else {"text": str(block)} for block in content)
        return "\n".join(block.get("text") or block.get("content") or "" for block in blocks)
    return content if isinstance(content, str) else ""


def _said(corpora: Path) -> Iterator[tuple[str, bool]]:
    """Text of every assistant message, and whether it is the last of its episode."""
    talks = [episode["traj"] for path in corpora.glob("tau-bench/results/*.gz") for episode in _document(path)]
    talks += [
        episode["messages"]
        for path in corpora.glob("tau2-bench/results/*.gz")
        for episode in _document(path)["simulations"]
    ]
    talks += [episode["messages"] for path in corpora.glob("agentdojo/runs/*.gz") for episode in _lines(path)]
    talks += [json.loads(path.read_bytes())["messages"] for path in corpora.glob("agentdojo/raw/**/*.json")]
    for talk in talks:
        texts = [_plain(message.get("content")) for message in talk if message["role"] == "assistant"]
        for position, text in enumerate(texts, start=1):
            yield text, position == len(texts)
    for path in corpora.glob("workbench/episodes/*.gz"):
        for episode in _lines(path):
            if isinstance(episode["output"], str):
                yield episode["output"], True


@pytest.fixture(scope="module")
def labelled(corpora: Path) -> list[tuple[str, str, bool, bool]]:
    """Hash, text, whether it ends an episode, and label of each labelled message, in the order of the labels."""
    found: dict[str, tuple[str, bool]] = {}
    for text, final in _said(corpora):
        key = hashlib.sha256(text.encode()).hexdigest()
        found[key] = (text, final or found.get(key, ("", False))[1])
    with LABELS.open(encoding="utf-8", newline="") as stream:
        rows = [(row["message_sha256"], row["label"] == "1") for row in csv.DictReader(stream)]
    missing = [key for key, _ in rows if key not in found]
    assert not missing, f"{len(missing)} labelled messages are not in the corpora"
    return [(key, *found[key], label) for key, label in rows]


def _precision_and_recall(messages: list[tuple[str, str, bool, bool]]) -> tuple[float, float]:
    judged = [(asks_user(text), label) for _, text, _, label in messages]
    hits = sum(guess and label for guess, label in judged)
    return hits / sum(guess for guess, _ in judged), hits / sum(label for _, label in judged)


def test_the_labels_hold_enough_of_both_classes(labelled: list[tuple[str, str, bool, bool]]) -> None:
    final = [label for _, _, ends, label in labelled if ends]
    assert len(final) >= 260
    assert final.count(True) >= 80
    assert final.count(False) >= 80


@pytest.mark.parametrize("part", ["development", "held out", "all"])
def test_final_messages_are_told_apart(labelled: list[tuple[str, str, bool, bool]], part: str) -> None:
    parity = {"development": {0}, "held out": {1}, "all": {0, 1}}[part]
    precision, recall = _precision_and_recall([m for m in labelled if m[2] and int(m[0][-1], 16) % 2 in parity])
    assert precision >= 0.95
    assert recall >= 0.95


def test_messages_within_an_episode_are_told_apart(labelled: list[tuple[str, str, bool, bool]]) -> None:
    precision, recall = _precision_and_recall([m for m in labelled if not m[2]])
    assert precision >= 0.95
    assert recall >= 0.95
