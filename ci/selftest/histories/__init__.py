"""Histories that rules are tried on: right ones, and for each rule wrong ones."""
