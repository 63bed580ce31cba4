# make run   installs what is missing, builds deck, opens its demo
# make test  installs what is missing, runs the tests
# make screenshots  makes the pictures in assets/screenshots from the real TUI

.PHONY: run test build needs screenshots

run: needs
	cargo build --release
	./target/release/deck demo

test: needs
	cargo test $(TESTFLAGS)

build:
	cargo build --release

screenshots: needs
	sh ./assets/screenshots/make.sh

# tmux and git come through the system's package manager, only when they are missing.
needs:
	@sh ./assets/install-needs.sh tmux git
