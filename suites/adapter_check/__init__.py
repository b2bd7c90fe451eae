"""The examination of an adapter: every method of the protocol, in the plainest way."""
