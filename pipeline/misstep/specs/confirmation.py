"""What counts as a yes of the user, where a suite does not say."""

YES = r"(?i)\byes\b"
REFUSAL = r"(?i)^\s*no\b"
