"""What the stages hand on to one another: frozen dataclasses without logic of their own."""
