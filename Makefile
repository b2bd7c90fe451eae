# Short names for what `python3 ci` does; that works without make, too.

.PHONY: main test lint bench allure images

main test lint bench allure images:
	python3 ci $@
