"""What runs tell of a change: how much longer or shorter a query takes with it, and how sure that is."""
