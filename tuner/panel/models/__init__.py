"""What the panel's API answers and takes. Times are UTC; texts may hold anything a log held, and are never markup."""
