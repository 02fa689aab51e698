"""Recurring jobs that never ran: their true effects are known, and the policy that steers them is the real one."""
