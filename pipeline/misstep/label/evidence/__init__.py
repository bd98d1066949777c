"""Evidence to action: what was established when, and which attempts came ahead of it.

A *case* is an episode whose task asks for evidence. An *obligation* is a requirement at an attempt, or at the end; a
*clause* is a condition of a requirement, and a *demand* a clause of an obligation. A *query* is a demand without its
time: its *hits* are all that would meet it, with the steps in which they do.
"""
