"""The constructed cohort of the evidence suite: ten configurations chosen so that the figures of [E] hold.

No model was run. Which episode ends how is chosen by integer programming (`plan`, `conditions`), to be acted out in the
simulated domains, so that raw traces go through the whole pipeline. The printed numbers are in
`data/published/safeact_*.csv`: tables 2, 3, 4, 9, 10, 11 and 12, figure 5, and the interventions. Every episode of the
main runs is scored but three, without which two protocol macros of table 2 cannot be; so tables 2 to 4 and 12 are
among scored runs.
"""
