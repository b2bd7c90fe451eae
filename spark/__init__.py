"""Judging many runs on Apache Spark: the only folder that imports pyspark; all others do without."""
