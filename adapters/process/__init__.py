"""The adapter protocol at work: candidates in processes of their own, and the serving side for them."""
