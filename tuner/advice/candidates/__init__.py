"""What advisors share: which joins, orders and sizes a change could be for."""
