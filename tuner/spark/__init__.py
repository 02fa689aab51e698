"""What Spark is: its properties, versions, join selection, memory, and the formulas of its optimizer."""
