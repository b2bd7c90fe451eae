"""The suite under pytest: the plugin, what it prints, and what Allure is given."""
