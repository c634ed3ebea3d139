"""Full screens and modal screens."""
