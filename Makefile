# Short names for what `python3 ci` does; that works without make, too.

.PHONY: main test lint bench

main test lint bench:
	python3 ci $@
