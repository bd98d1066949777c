"""The constructed cohort: eleven configurations whose behaviour is chosen so that the printed figures of [S] hold.

No model was run. Which episode ends how is chosen by integer programming (`plan`), then acted out in the simulated
office (`episodes`), so that raw traces go through the whole pipeline. Source: [S], tables and text; the numbers are in
`data/published/sabench_margins.csv` and `sabench_other.csv`.
"""
