"""How jobs run, here or on Spark, how they report progress, and what they return."""
