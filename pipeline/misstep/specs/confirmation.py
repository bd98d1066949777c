"""What counts as a yes of the user where a suite does not say: English, and rather too little than too much.

A plain yes of a neighbouring language counts as well: simulated customers mix them in.

Both are regular expressions without look-around, so that every engine reads them alike. A yes opens a clause ("…, yes,
please", "That sounds good."): in "I am not sure" and "can you confirm the price?" nobody agrees to anything. What a
message asks for without a word of consent ("Please cancel them all.") is no yes to what was proposed. A message that
opens with a no, or that puts the matter off, is none whatever else it says.
"""

_APOSTROPHE = "['’]"
_IS = (
    rf"(?:{_APOSTROPHE}s|{_APOSTROPHE}re|\s+is|\s+are|\s+all)?(?:\s+(?:all|both|absolutely|totally|perfectly|exactly))*"
)
_WILL = rf"(?:i|we)(?:{_APOSTROPHE}d|\s+would|\s+do|\s+hereby|\s+also|\s+want|\s+wish|\s+like|\s+can|\s+still)*"
_ADVANCE = r"(?:go(?:ing)?\s+ahead|proceed|move\s+forward|go\s+forward)"
_GOOD = r"(?:good|great|fine|right|correct|perfect|accurate|okay|ok|acceptable)"
_FORMS = (
    r"yes|yeah|yep|yup|yea|oui|sí|ja|sim",
    r"sure|certainly|absolutely|definitely|of\s+course|ok|okay|alright|all\s+right|affirmative",
    r"correct|confirmed|confirming|agreed|exactly|approved",
    rf"(?:please\s+|kindly\s+|just\s+|let{_APOSTROPHE}s\s+|(?:you\s+)?(?:can|may|could|should)\s+|feel\s+free\s+to\s+)*{_ADVANCE}",
    r"please\s+do(?:\s+(?:so|it|that))?",
    rf"{_WILL}\s+(?:confirm|agree|approve|accept|authori[sz]e|consent)",
    rf"{_WILL}\s+(?:(?:you\s+)?to\s+)?{_ADVANCE}",
    rf"(?:i{_APOSTROPHE}m|i\s+am|we\s+are|we{_APOSTROPHE}re)\s+(?:happy|ready|fine|okay|ok|good|comfortable)\s+(?:to\s+{_ADVANCE}|with)",
    rf"(?:that|this|it|everything|those|these|they|all|all\s+of\s+(?:that|it|this)|(?:all\s+|both\s+)?the\s+\w+){_IS}"
    rf"(?:\s+(?:sounds?|looks?|seems?))?\s+{_GOOD}",
    rf"(?:sounds?|looks?)(?:\s+(?:all|very|really))?\s+{_GOOD}",
    r"(?:that|this|it|which)\s+(?:all\s+)?works(?:\s+for\s+me)?",
)
_OPENING = r"(?:^|[.!?,;:\n—–\-()*]|\b(?:and|so|then))\s*"
_NOT = rf"(?:do\s+not|don{_APOSTROPHE}?t|please\s+do\s+not|please\s+don{_APOSTROPHE}?t)"

#: A message fits it that agrees to what was proposed.
YES = rf"(?i){_OPENING}(?:{'|'.join(_FORMS)})\b"
#: A message that fits it does not, whatever else it says.
REFUSAL = (
    rf"(?i)^\W*(?:(?:actually|sorry|hmm|oh|well|um|uh)\W+)*(?:"
    rf"(?:no|nope|nah)(?:\s*[,.;:!—–\n\-]|\s*$|\s+(?:thanks?|wait|stop|please|not|i|that|it|this|we|you|but|{_NOT})\b)"
    rf"|(?:{_NOT}|wait|stop|hold\s+on|hang\s+on|hold\s+off|never\s*mind|not\s+yet|not\s+now)\b)"
    rf"|\b{_NOT}\s+(?:{_ADVANCE}|do\s+(?:it|that)|confirm|submit)\b"
    r"|\bnot\s+ready\b|\b(?:yes|yeah|ok|okay|sure)\W+but\s+(?:wait|first|not|before)\b"
    rf"|\bbefore\s+(?:you|we|i)\s+(?:{_ADVANCE}|confirm|do\s+(?:it|that))"
)
