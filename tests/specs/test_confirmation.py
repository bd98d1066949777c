"""What counts as a yes of the user where a suite does not say."""

import re

import polars as pl
import pytest

from misstep.specs.confirmation import REFUSAL, YES


def agrees(message):
    """Return whether a message is a yes, having asked both engines that read the patterns."""
    found = [bool(re.search(pattern, message)) for pattern in (YES, REFUSAL)]
    assert found == [pl.Series([message]).str.contains(pattern).item() for pattern in (YES, REFUSAL)]
    return found == [True, False]


@pytest.mark.parametrize(
    "message",
    [
        "yes",
        "Yes, please proceed with the cancellation.",
        "YES - cancel it",
        "A. Yes.\n\nPlease submit now.",
        "1) Yes—refund to the card",
        "Sure!",
        "okay",
        "Thanks for checking. Please go ahead.",
        "That sounds good. Please book it.",
        "Everything looks correct to me",
        "That’s correct.",
        "it's all correct, thank you",
        "All the details are correct, and I'd like to proceed.",
        "I confirm the change.",
        "I’d like to proceed with that",
        "I'm happy to go ahead.",
        "Let's go ahead then.",
        "If that is the only way, then yes.",
        "You can proceed.",
        "No problem, go ahead.",
        "Works? Yes, that works for me.",
        "Please do.",
    ],
)
def test_consent_is_a_yes(message):
    assert agrees(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "no",
        "No, thanks. It sounds good, though.",
        "Nope",
        "No. Yes, I mean no.",
        "Wait, yes, but first tell me the price",
        "Hold on. Proceed with the other one.",
        "Actually, no, that is not right",
        "Do not go ahead.",
        "Don’t proceed yet",
        "It looks good, but please don't submit it.",
        "Yes, but first change the address",
        "Okay, but wait until I have asked my wife",
        "Yes, but before you go ahead, what does it cost?",
        "I am not sure",
        "Are you sure?",
        "Can you confirm the price?",
        "That's not correct.",
        "Please cancel all of them.",
        "I'd like to cancel my order.",
        "What would you suggest? I can go either way.",
        "My name is Yesenia Correct",
        "surely you can do better",
        "It's incorrect",
        "I'll go with the second option.",
        "Never mind, thanks. All good.",
        "I'm not ready. Yes, it looks fine.",
        "Don't worry about the fee. Yes, go ahead.",  # rather too little than too much
    ],
)
def test_anything_else_is_none(message):
    assert not agrees(message)
