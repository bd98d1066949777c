"""The views of evidence: what was needed, in words; what was missing before attempts; attempts ahead of it."""

from __future__ import annotations

# What is needed is told once for all: conditions of an alternative joined by `and`, alternatives by `or`. An entity or
# a value that is taken from the attempt stands as {argument}.
NEEDS = """
WITH tests AS (
  SELECT suite, task_id, requirement, alternative, condition, any_value(source) AS source,
    any_value(tools) AS tools, any_value(result_of) AS result_of, any_value(pattern) AS pattern,
    any_value(argument) AS argument,
    any_value(entity_type || ':' || coalesce(entity_id,
      CASE WHEN entity_argument IS NULL THEN '*'
        ELSE replace(coalesce(entity_template, '{{}}'), '{{}}', '{{' || entity_argument || '}}') END)) AS entity,
    string_agg(field || CASE test::VARCHAR
      WHEN 'is' THEN ' = ' || array_to_string(compare, ' or ')
      WHEN 'is_not' THEN ' is not ' || coalesce(value, array_to_string(compare, ' or '))
      WHEN 'contains' THEN ' contains ' || value
      WHEN 'not_contains' THEN ' lacks ' || value
      WHEN 'argument' THEN ' = {{' || argument || '}}'
      ELSE ' is there' END, ', ' ORDER BY part) AS tests
  FROM spec.conditions WHERE role = 'supported'
  GROUP BY suite, task_id, requirement, alternative, condition
), told AS (
  SELECT suite, task_id, requirement, alternative, condition, CASE source::VARCHAR
    WHEN 'record' THEN 'a record' || coalesce(' of ' || entity, '') || coalesce(' with ' || tests, '')
    WHEN 'state' THEN coalesce(entity || ' ', '') || 'with ' || coalesce(tests, 'anything')
    WHEN 'read' THEN 'a read by ' || array_to_string(tools, ' or ') || coalesce(' of ' || entity, '')
      || coalesce(' with ' || tests, '')
    WHEN 'authentication' THEN 'who the user is, by ' || array_to_string(tools, ' or ')
    WHEN 'confirmation' THEN 'a yes of the user' || coalesce(' after ' || entity || ' was looked at', '')
    WHEN 'told' THEN 'a word of the user that fits ' || coalesce(pattern, '')
    WHEN 'known' THEN 'a source of {{' || coalesce(argument, '') || '}}'
    WHEN 'result_of' THEN 'the result of ' || result_of
    ELSE 'a call with ' || coalesce(tests, 'anything') END AS text
  FROM tests
), alternatives AS (
  SELECT suite, task_id, requirement, alternative, string_agg(text, ' and ' ORDER BY condition) AS text
  FROM told GROUP BY suite, task_id, requirement, alternative
), conditions AS (
  SELECT suite, task_id, requirement, string_agg(text, ' or ' ORDER BY alternative) AS text
  FROM alternatives GROUP BY suite, task_id, requirement
)
SELECT r.suite, r.task_id, CASE WHEN r.task_id = '' THEN 'rule' ELSE 'requirement' END AS kind, r.requirement,
  r.description, c.text AS needed
FROM spec.requirements r LEFT JOIN conditions c USING (suite, task_id, requirement)
UNION ALL
SELECT suite, task_id, 'coverage', "read", '', 'a read by ' || tool || '('
  || array_to_string(
    [a.path || '=' || CASE WHEN a.compare IS NULL THEN '*' ELSE a."value" END FOR a IN arguments], ', ') || ')'
FROM spec.required_reads
UNION ALL
SELECT suite, task_id, 'coverage', 'minimum_reads', '', 'at least ' || min_reads || ' reads'
FROM spec.evidence WHERE min_reads IS NOT NULL
UNION ALL
SELECT suite, task_id, 'coverage', 'minimum_read_tools', '', 'reads by at least ' || min_read_tools || ' tools'
FROM spec.evidence WHERE min_read_tools IS NOT NULL
"""

EVIDENCE_GAPS = """
SELECT e.suite, e.task_id, e.configuration, e.model, e.harness, e.condition, e.replicate, e.protocol, r.episode,
  a.step, a.position, r.attempt, a.tool, coalesce(c.executed_arguments, c.requested_arguments) AS arguments,
  a.matched_action, r.kind::VARCHAR AS kind, r.requirement, r.status::VARCHAR AS status, r.reason,
  r.near_miss::VARCHAR AS near_miss, r.near_step, r.near_position, n.needed, nullif(n.description, '') AS description,
  CASE WHEN r.near_miss = 'later' THEN coalesce(r.near_step, z.established_step) END AS established_late_step
FROM requirement_labels r
JOIN action_labels a USING (episode, attempt)
JOIN labelled_episodes e USING (episode)
LEFT JOIN calls c ON c.episode = a.episode AND c.step = a.step AND c.position = a.position
LEFT JOIN needs n ON n.suite = e.suite AND n.kind = r.kind::VARCHAR AND n.requirement = r.requirement
  AND n.task_id = CASE WHEN r.kind = 'rule' THEN '' ELSE e.task_id END
LEFT JOIN requirement_labels z ON z.episode = r.episode AND z.attempt = -1 AND z.kind = r.kind
  AND z.action = r.action AND z.requirement = r.requirement
WHERE r.status IN ('MISSING', 'VIOLATED') AND e.scored
ORDER BY r.episode, r.attempt, r.kind::VARCHAR, r.action, r.requirement
"""

PREMATURE = """
WITH missing AS (
  SELECT episode, attempt,
    list(DISTINCT requirement ORDER BY requirement) FILTER (kind <> 'rule') AS missing,
    list(DISTINCT requirement ORDER BY requirement) FILTER (kind = 'rule') AS rules
  FROM requirement_labels WHERE status IN ('MISSING', 'VIOLATED') AND attempt >= 0
  GROUP BY episode, attempt
), numbered AS (
  SELECT *,
    row_number() OVER (PARTITION BY episode, consequential ORDER BY attempt) = 1 AND consequential AS first_attempt,
    row_number() OVER (PARTITION BY episode, ruled ORDER BY attempt) = 1 AND ruled AS first_ruled
  FROM action_labels
)
SELECT e.suite, e.task_id, e.configuration, e.model, e.harness, e.condition, e.replicate, e.protocol, a.episode,
  a.step, a.position, a.attempt, a.first_attempt, a.first_ruled, a.tool,
  coalesce(c.executed_arguments, c.requested_arguments) AS arguments, a.matched_action, a.gate::VARCHAR AS gate,
  a.executed, a.gap_coverage, a.gap_requirement, a.rule_broken, coalesce(m.missing, []) AS missing,
  coalesce(m.rules, []) AS rules, a.covered, a.reads, e.goal, e.ecs
FROM numbered a
JOIN labelled_episodes e USING (episode)
LEFT JOIN missing m USING (episode, attempt)
LEFT JOIN calls c ON c.episode = a.episode AND c.step = a.step AND c.position = a.position
WHERE e.scored
  AND (coalesce(a.gap_coverage, false) OR coalesce(a.gap_requirement, false) OR coalesce(a.rule_broken, false))
ORDER BY a.episode, a.attempt
"""

#: Name of a view → what one row is.
ABOUT = {
    "needs": "a required read, a requirement or a standing rule, with what establishes it in words",
    "evidence_gaps": "evidence that an attempt lacked: what was needed, the near miss, and when it came late",
    "premature": "an attempt ahead of its evidence: what was missing, the rules broken, whether it was the first",
}
SQL = {"needs": NEEDS, "evidence_gaps": EVIDENCE_GAPS, "premature": PREMATURE}
