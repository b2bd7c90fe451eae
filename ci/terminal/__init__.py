"""What the subcommands share: options, what is selected, progress, rows as they come, being told to stop."""
