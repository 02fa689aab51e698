"""Never make it worse: modes, guardrails, trials, verification and rollback over a cohort's history."""
