"""Real Apache Geode as a candidate; needs Java, Maven and the extra [geode]."""
