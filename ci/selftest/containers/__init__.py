"""What tests of candidates in containers need: an engine, an image made without a registry, kills."""
