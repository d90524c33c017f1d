"""Running jobs, in this process or on Spark: tasks, progress and results."""
