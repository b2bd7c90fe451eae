# Short names for what `python3 ci` does; that works without make, too.

.PHONY: main test lint

main test lint:
	python3 ci $@
