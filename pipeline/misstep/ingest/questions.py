"""Does an assistant message ask the user something that the agent needs answered?

The rule takes the words meant for the user (`_addressed_text`), cuts them into sentences, and judges each sentence
on its own: it counts as a question that is no courtesy, or as a request that needs no question mark. What the
agent merely shows (quotes, code, letters, field values, addresses, reasoning) is taken out first.

Patterns meet lower-cased sentences that start with a space, and start with that space themselves: a search then
tries word starts only, which keeps the rule at microseconds.
"""

import json
import re
from typing import Final


def _starting(*alternatives: str) -> re.Pattern[str]:
    """A pattern that finds any of the alternatives at the start of a word."""
    return re.compile(" (?:" + "|".join(alternatives) + ")")


# --- what is shown or thought, not said to the user ------------------------------------------------------------
_TAGGED: Final = re.compile(
    r"<(think(?:ing)?|thought|scratchpad|reasoning|reflection|analysis|information|tool_calls?|function_calls?"
    r"|document|email|quote|blockquote|code|pre)>.*?(?:</\1>|\Z)"
    r"|<function=.*?(?:</function>|$)",
    re.S | re.I | re.M,
)
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s)\]]*[^\s)\].,!?]")
_LETTER: Final = re.compile(  # from a salutation to a closing formula and a name
    r"\n[ \t]*(?:hi|hello|hey|dear)\b[^\n?.!]{0,40},[ \t]*\n(?:.*\n)*?"
    r"[ \t]*(?:(?:all the )?best(?: \w+)?|(?:\w+ )?regards|(?:yours )?sincerely|(?:many )?thanks(?: again)?"
    r"|thank you|cheers|yours \w+|love|warmly),?[ \t]*\n[^\n?]{0,40}(?=\n|\Z)"
)
_FIELD: Final = re.compile(
    r"\n[ \t]*(?:[-*•]|\d+[.)])?[ \t]*(?:e-?mail |message )?"
    r"(?:body|subject|title|description|contents?|text)[ \t]*:.*"
)
_BLOCK: Final = re.compile(r"\n(?:>.*|(?: {4,}|\t)[ \t]*(?![-*•\d \t]).*)")  # cited or indented line
_QUOTED: Final = re.compile(r"\"(?<!\w\")[^\"\n]*\"(?!\w)|'(?<!\w')(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)|«[^»\n]*»")
_WRAPPED: Final = re.compile(r"\n(?=[a-z])(?<=[a-z,;]\n)")
_REACT: Final = re.compile(r"(?m)^\s*(?:thought|action|action input|observation)\s*:", re.I)
_REACT_ANSWER: Final = re.compile(r"(?m)^\s*final (?:answer|response)\s*:", re.I)
_PLAIN: Final = (("\u2019", "'"), ("\u2018", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\uff1f", "?"))

# --- sentences -------------------------------------------------------------------------------------------------
_STOPS: Final = (". ", "! ", "? ", ".) ", "?) ", '?" ')
_LEAD: Final = re.compile(r"(?:[-*•>\s(]|\d+[.)]|[a-z][.)]\s)+")
_ENDS_ASKING: Final = re.compile(r"[\w)\"'\]] ?\?\W*$|\? *(?:\(|e\.g\.)")
_ANSWER: Final = re.compile(r"[-–—→:=]|(?:yes|no|possibly|maybe|it depends|likely|unlikely)\b(?! ?(?:/|or\b))")
_OR: Final = re.compile(
    r",? or(?= (?:help|assist) (?:you )?with \w+ else\b)"
    r"|,? or(?= (?:is|are|would|do|does|did|should|shall|can|could|may|will|have|what|which|how|if)\b)|;"
)

# --- courtesies and rhetoric -----------------------------------------------------------------------------------
# A word of courtesy may also name what the user works on: 'which survey', 'the other questions in her mail', 'the help
# desk'. Phrases of courtesy count wherever they are; the looser ones in `_COURTEOUS` only outside a question about
# such things (`_ABOUT_THINGS`).
_SERVICE: Final = (
    r"(?:help|service|support|assistance|conversation|chat|interaction|experience|session|answers?|responses?"
    r"|work|performance)\b(?! (?:of|from|by)\b)"
)
_MINE: Final = rf"(?:(?:my|our|your|this|the|today's) (?:\w+ )?{_SERVICE}|me\b|us\b|how (?:i|we)\b)"
_SMALL: Final = r"(?:(?:short|quick|brief|little|small|final|feedback|satisfaction|customer|\w+-(?:question|minute)) )"
_MORE_SERVICE: Final = (
    r"(?<! the )(?<! these )(?<! those )(?<! his )(?<! her )(?<! their )(?<! its )(?<! both )(?<!'s )"
    r"(?:any|other|further|additional|more) (?:(?:other|further|additional|more|specific|general) )*"
    r"(?:questions?|help|assistance|support|guidance|concerns?|requests?|needs|tasks?|adjustments?|issues?"
    r"|problems?|trouble)\b"
)
_COURTESY: Final = _starting(
    r"(?:like|want) me to (?:help|assist)(?: you)? with any\b",
    r"how (?:else )?(?:can|may|could|might) (?:i|we) (?:best |further )?(?:help|assist|support|serve|be of)\b",
    r"what (?:else )?(?:can|may|could) (?:i|we) (?:help|assist|do for)\b",
    r"what else (?:can|would|do)\b(?!.{0,200} (?:include|mention|say|state)\b)",
    r"is there something else\b(?! (?:called|named|with|in|under)\b)",
    r"(?:is|are) there (?:any|some)\b.{0,200} (?:i|we) can (?:help|assist|do|support)\b",
    r"(?:is|are) there any other\b.{0,200} you(?:'d| would| want| need)",
    r"(?:like|want) (?:me |us )?to (?:help|assist|take|review|investigate|explore|analyze|provide|do|discuss|make|see)"
    r" .{0,200}\bany (?:other|additional|further|specific|more)\b",
    r"(?:like|want) (?:me |us )?to (?:perform|take|do) any\b",
    r"like (?:to (?:know|learn|hear|see) more"
    r"|(?:any )?(?:more|other|further|additional) (?:details|information|info|examples))\b",
    r"do(?:es)? (?:that|this|it) (?:help(?! (?:request|desk|page|ticket|text)\b)|make sense|answer(?! to\b))\b",
    r"have i answered\b",
    rf"was (?:this|that|(?:my|our|the) (?:\w+ )?{_SERVICE}) helpful\b",
    r"(?:is )?that (?:be )?(?:everything|all)\W*$",
    r"are you all set\b",
    r"how are you\b(?! (?!(?:all|doing|feeling|getting on|keeping|this|today)\b)\w)",
    r"how (?:was|is) your (?:day|morning|afternoon|evening|night|week|weekend|trip|visit|stay|holiday|experience)\b",
    r"(?:how is it|how's it) going\b(?! to\b)|how's your day\b",
)
_COURTEOUS: Final = _starting(
    r"anything (?:else|more|further)\b",
    r"(?:need|want|like|with) anything\b",
    r"(?:help|assist) .{0,200}\b(?:any|some)thing\b",
    _MORE_SERVICE,
    r"(?:still )?(?:need|have|got) (?:questions?|help|assistance)\W*$",
    # asking for a verdict on the agent itself
    rf"(?<! the )rate {_MINE}",
    rf"feedback (?:on|about|for|regarding) (?:{_MINE}|(?:this|that)\W*$)",
    r"(?:leave|give|share) (?:any |some |your |us |me )*feedback\W*$",
    r"(?:take|taking|fill(?:ing)? (?:in|out)|complet(?:e|ing)|answer(?:ing)?|do(?:ing)?|for|mind|you)"
    rf" (?:(?:an?|our|my) {_SMALL}*|(?:the|this) {_SMALL}+)survey"
    rf"(?:\W*$|,| (?:about|on|for|regarding) {_MINE}"
    r"| (?:afterwards|before you|later|now|please|so|to (?:help|rate))\b)",
    rf"how (?:happy|helpful|satisfied|useful) (?:are you with|were you with|was|were|is) (?:{_MINE}|this\W*$|that\W*$)",
    rf"(?:are|were) you (?:\w+ )?(?:happy|pleased|satisfied) with (?:my|our) (?:\w+ )?{_SERVICE}",
)
_ABOUT_THINGS: Final = re.compile(
    r"(?:^|[,:;–—]|\b(?:and|but|or|so|then)) (?:"
    r"which\b(?! (?:other|further|additional|more) \w+ (?:do you (?:have|need)|(?:can|could|may) (?:i|we))\b)"
    r"|(?:where|whose|whom?|(?:do|did) you mean|(?:is|are) (?:the|his|her|their|its))\b"
    r"|(?:should|shall)\b(?! (?:i|we) (?:assist|do|help)\b)"
    r"(?! (?:i|we)\b.{0,200} any(?:thing)? (?:other|else|further|additional|more)\b)"
    r"|(?:does|did) (?!(?:this|that|it|you|i|we|any\w*|every\w*)\b))"
)
_BEFORE_ACTING: Final = _starting(r"before (?:i|we)\b", r"(?:i|we) should know\b")
_RHETORICAL: Final = re.compile(
    r" (?:so,? |but |and )?(?:why(?! (?:do|did|would|are) you).*|what(?:'s| is| comes) next"
    r"|what happens (?:next|now|then)|what (?:does|do) (?:this|that|it|these) mean.*|what (?:went wrong|happened)"
    r"|how (?:does|do|did) (?:this|it|that|they) work|who knows|guess what"
    r"|(?:what|why|how) (?:did|have) (?:i|we) .*|the (?:result|problem|reason|catch|upshot)|q\W.*)\W*$"
)

# --- requests without a question mark --------------------------------------------------------------------------
_FILLER: Final = r"(?:(?:please|also|first|either|just|explicitly|simply|kindly|now|then|me)\W+){0,3}"
_TELL: Final = (
    r"(?:provide|confirm|specify|clarify|share|tell (?:me|us)|give (?:me|us)|send (?:me|us)|choose|pick|indicate"
    r"|advise|reply|respond|answer|supply|state|identify|describe|double-check|let (?:me|us) know"
    r"|select (?:which|one|from|an? |the (?:option|one)|your)"
    r"|verify (?:the following|your identity|that|whether|if)|check (?:if|whether|and))\b"
)
_TO_OTHERS: Final = (
    r"(?! with (?:the|your) )(?! (?:this|these|it|them) (?:to|when|with|if)\b)(?! to (?:\S+ ){1,4}e-?mail\b)"
)
_PLEASE: Final = _starting(
    rf"(?<! to )(?<! they )(?<! them )(?:please|kindly)\W+{_FILLER}{_TELL}{_TO_OTHERS}",
    rf"(?:could|can|would|will) you,? {_FILLER}{_TELL}{_TO_OTHERS}",
    r"(?:could|can|would) you,? please\b",
    r"(?<!moment, )(?<!minute, )(?<!second, )(?<!hold on, )(?<!wait, )please\W*$",
)
_NEED: Final = _starting(
    r"(?:i|we)(?:'ll|'d| will| would| do| still| also| just| first| only| then)* (?:need|require)"
    r"(?: also| first| just)?"
    r"(?! (?:a|some|another|more|one|a few) (?:more )?(?:moments?|minutes?|time|seconds?|bit)\b)"
    r"(?! (?:the|an?) (?:list|results?|output|tool|function|action)\b)"
    r"(?::| (?:to (?:know|ask you|have your|get your|clarify|verify your)"
    r"|to confirm(?:(?=:)| (?:with you|your|whether|if|which|a few|some|the following|these|the details))"
    r"|from you|your|you to|the|these|more|some|additional|further|a few|a couple|a little|two|one"
    r"|an?|at least|either|both|confirmation|clarification|details|information|permission|approval|explicit)\b)"
)
_STUCK: Final = _starting(
    r"(?:i|we)(?:'m| am| are)? (?:cannot|can't|can not|unable to|not able to|won't|will not|have not|haven't)\b.{0,200}"
    r"\b(?:(?:until|unless|before) you (?:provide|confirm|specify|tell|choose|reply|clarify|share)"
    r"|without (?:more|additional|further|specific|knowing|your (?:confirmation|approval|input|answer|reply)"
    r"|(?:the|some) (?:necessary|required|missing)(?!.{0,60} (?:tool|system)\b)))\b"
)
_HELD: Final = _starting(
    r"(?:await(?:ing)?|wait(?:ing)? (?:for|on)) your"
    r" (?:confirmation|response|reply|answer|input|approval|decision|instruction)",
    r"it (?:would|will) (?:be (?:very |most )?(?:helpful|useful)|help)\b.{0,200}(?: to know\b| if you\b)",
    r"if you (?:can |could )?(?:please )?(?:provide|share|specify|clarify|tell me|give me|send me)\b",
    r"once you(?:'ve| have)? (?:provided?|confirm(?:ed)?|shared?|specif(?:y|ied)|choose|chosen|answer(?:ed)?)\b"
    r".{0,200} (?:i|we)\b",
    r"(?:i|we)(?:'d| would) (?:like|ask|need) (?:you to|your)"
    r" (?:provide|confirm|specify|clarify|choose|share|approv)",
    r"yes ?/ ?no\b",
    r"y/n\b",
)
_TELL_ME: Final = re.compile(
    r"(?:^|[,;:]|\b(?:and|then|just|simply|or)) (?:(?:tell|give|send) (?:me|us)\b(?! that)"
    r"|(?:reply|respond|answer) (?:with|by|\"|yes))"
)

# --- 'let me know' ---------------------------------------------------------------------------------------------
_LET_KNOW: Final = re.compile(r" let (?:me|us) know\b")
_CONDITION: Final = re.compile(r",?(?= (?:if|whether|in case|should) )")
_OFFER: Final = _starting(
    r"(?:if|should|in case|whenever) you(?:'d| would|'ve| have|'re| are)?\b"
    r"(?!.{0,200} (?:proceed|go ahead|continue)\b)",
    r"feel free\b",
    r"(?:don't|do not) hesitate\b",
    r"if (?:not|that|this|it|there)\b",
)
_IDLE_OBJECT: Final = re.compile(
    r" (?:how (?:else )?(?:i|we) (?:can|may|could|might)|how (?:it|that|everything) (?:goes|went)|what else"
    r"|when(?:ever)? you|(?:of |about |at )?any(?:thing|time)?|and|so|in (?:the|case)|once|here|directly"
    r"|immediately|right away)\b"
)
_DECIDES: Final = _starting(
    r"you (?:have|know|remember|recall)"
    r" (?:(?:any|the|some|more|other|another|additional|further|specific|an?) )*"
    r"(?:details?|information|info|variations?|keywords?|\w*id|number|date|name|e-?mail address|account)",
    r"(?:proceed|go ahead|move forward)\b",
    r"you (?:agree|approve|consent|accept|confirm)\b",
    r"you(?:'re| are) (?:ok|okay|fine|happy|comfortable) with\b",
    r"(?:if|whether) (?:this|that|these|those|it|everything|all)(?:'s| is| are| looks?| sounds?| works?)"
    r" (?:correct|right|good|ok|okay|fine|accurate)\b",
)
_REPORTS: Final = re.compile(
    r" (?:if|whether) (?:(?:this|that|these|those|it|everything|the|your)\b"
    r"(?!.{0,200} (?:persists?|arises?|continues?|again)\b)"
    r"|(?:i|we) (?:should|can|may)\b|you (?:can|could|see|notice|find|get|were able|are able|still|already)\b)"
)


def _strings(value: object) -> list[str]:
    """Text values of a decoded JSON value, depth first; keys and numbers are left out."""
    if isinstance(value, str):
        return [value]
    items = list(value.values()) if isinstance(value, dict) else value
    return [text for item in items for text in _strings(item)] if isinstance(items, list) else []


def _decoded(text: str) -> str:
    """Words of a message that is one JSON value; a tool call has none, other text comes back as it is."""
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict) and "action" in value and "action_input" in value:
        value = value["action_input"] if value["action"] == "Final Answer" else None
    return "\n".join(_strings(value))


def _answer(text: str, folded: str) -> str:
    """Final answer of a ReAct transcript, empty if it has none; other text comes back as it is."""
    if "action:" not in folded and "thought:" not in folded and "final answer:" not in folded:
        return text
    final = _REACT_ANSWER.search(text)
    if final:
        return text[final.end() :]
    return "" if _REACT.search(text) else text


def _addressed_text(text: str) -> str:
    """Lower-cased words meant for the user, without what the message shows, quotes or thinks aloud."""
    text = text.strip()
    if text[0] in '{["':
        text = _decoded(text)
    if not text.isascii():
        for typographic, plain in _PLAIN:
            text = text.replace(typographic, plain)
    text = _answer(text, text.lower())
    if "<" in text:
        text = _TAGGED.sub("\n", text)
    if "`" in text:
        text = _FENCED.sub(" x ", text)
    if "://" in text or "www." in text:
        text = _ADDRESS.sub("x", text)
    if "\n" in text:
        text = _BLOCK.sub("", _WRAPPED.sub(" ", text))
    text = "\n" + text.lower().replace("**", "").replace("__", "")
    if ":" in text:
        text = _FIELD.sub("", text)
    text = _LETTER.sub("\n", text) if "\n" in text[1:] else text
    if '"' in text or "'" in text or "«" in text:
        text = _QUOTED.sub('"q"', text)
    return text.replace("(", "( ")


def _may_ask(folded: str) -> bool:
    """False when lower-cased text has none of the words without which no sentence of it can count."""
    return (
        "?" in folded
        or "please" in folded
        or "kindly" in folded
        or "need" in folded
        or "let me know" in folded
        or "let us know" in folded
        or "ld you" in folded
        or "can you" in folded
        or "will you" in folded
        or "if you" in folded
        or "once you" in folded
        or "require" in folded
        or " me " in folded
        or " us " in folded
        or "reply" in folded
        or "respond" in folded
        or "answer" in folded
        or "wait" in folded
        or "without" in folded
        or "ntil you" in folded
        or "nless you" in folded
        or "before you" in folded
        or "d like you" in folded
        or "helpful" in folded
        or "s/n" in folded
        or "s / n" in folded
        or "y/n" in folded
    )


def _offers_service(part: str) -> bool:
    """True when a part of a sentence has a phrase of courtesy, or a word of it that names nothing else."""
    return bool(_COURTESY.search(part) or (_COURTEOUS.search(part) and not _ABOUT_THINGS.search(part)))


def _is_courtesy(question: str) -> bool:
    """True when a question, or every alternative it names, only offers more service or keeps up the talk."""
    return all(_offers_service(part) and not _BEFORE_ACTING.search(part) for part in _OR.split(question))


def _lets_know(before: str, after: str) -> bool:
    """True when the 'let me know' between the two parts asks for a fact, a choice or a go-ahead.

    'Let me know if you need more' is a standing offer, 'let me know which one' is not.
    """
    condition = _CONDITION.match(after)
    if condition:
        parts = after[condition.end() :].replace(" or if ", "\0 if ").split("\0")
        return any(not _offers_service(p) and bool(_DECIDES.search(p) or _REPORTS.match(p)) for p in parts)
    if _offers_service(before) or " feel free " in before:
        return False
    if _OFFER.search(before):
        return _DECIDES.search(before) is not None
    if _DECIDES.search(after):
        return True
    return bool(after.strip(" .!:)")) and not _IDLE_OBJECT.match(after)


def _is_request(sentence: str) -> bool:
    """True when a sentence without a question mark asks the user for something the agent needs."""
    if ("need" in sentence or "require" in sentence) and _NEED.search(sentence):
        return True
    if _HELD.search(sentence) or _STUCK.search(sentence):
        return True
    asked = _PLEASE.search(sentence)
    if asked and not asked.group().endswith("know"):
        return not _offers_service(sentence[: asked.start()])
    known = _LET_KNOW.search(sentence)
    if known:
        return _lets_know(sentence[: known.start()], sentence[known.end() :])
    told = _TELL_ME.search(sentence)
    return told is not None and not _OFFER.search(sentence[: told.start()])


def _asks(sentence: str, following: str) -> bool:
    """True for a needed request, or a needed question that the sentence following it does not answer."""
    if "?" not in sentence or not _ENDS_ASKING.search(sentence):
        return _is_request(sentence)
    return not (_ANSWER.match(following) or _RHETORICAL.match(sentence) or _is_courtesy(sentence))


def asks_user(text: str | None) -> bool:
    """Whether an assistant message asks the user something that the agent needs answered ([m], metrics §1).

    A clarification, a choice, a confirmation or missing information counts, with or without a question mark.
    Closing courtesies, standing offers ("if you'd like, I can …"), rhetorical questions, reasoning, and what is
    only quoted or shown (letters, code, addresses, field values) do not.

    Args:
        text: The message as recorded: prose, Markdown, JSON with text values or a ReAct transcript; None if absent.

    Returns:
        True if at least one sentence addressed to the user is a needed question or request.
    """
    if not text or text.isspace() or not _may_ask(text.lower()):
        return False
    for line in _addressed_text(text).split("\n"):
        if not _may_ask(line) or line.startswith("#"):
            continue
        for stop in _STOPS:
            line = line.replace(stop, stop[:-1] + "\0")
        sentences = line.split("\0")
        for sentence, following in zip(sentences, [*sentences[1:], ""], strict=True):
            if _may_ask(sentence):
                lead = _LEAD.match(sentence)
                if _asks(" " + (sentence[lead.end() :] if lead else sentence), following):
                    return True
    return False
