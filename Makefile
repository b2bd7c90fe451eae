# Short names for what `python3 ci` does; that works without make, too.

.PHONY: main test lint bench allure

main test lint bench allure:
	python3 ci $@
