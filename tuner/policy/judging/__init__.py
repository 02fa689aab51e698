"""What each run says of the changes that were in force in it: the steps of the ledger."""
