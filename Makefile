# make run   installs what is missing, builds deck, opens its demo
# make test  installs what is missing, runs all tests and names those that failed
# make dist  builds the smallest binary, as packages carry it, in target/dist
# make screenshots  makes the pictures in assets/screenshots from the real TUI and the real page

# make test-web  tests the page in the system's Chromium, and that assets/web is what web/ makes; needs Node 20
# make bench-mcp  measures shared MCP servers with real ones, which it gets from the npm registry; needs Node 20
# make web  builds the page from web/ into assets/web; needs Node 20

.PHONY: run test test-web page bench-mcp build dist needs needs-web screenshots web

run: needs
	cargo build --release
	./target/release/deck demo

test: needs
	tests/all.sh $(TESTFLAGS)

build:
	cargo build --release

dist:
	cargo build --profile dist

web:
	cd web && npm ci --ignore-scripts && npm run check && npm run build

# Builds what the other tests build, too, so that nothing is compiled twice.
test-web: needs needs-web
	cargo build --bin deck --test it
	$(MAKE) page

# The page's tests alone, with the program as it was built.
page:
	cd web && npm ci --ignore-scripts && npm run check && npm run same
	cd tests/web && npm ci --ignore-scripts && npm test

screenshots: needs needs-web
	sh ./assets/screenshots/make.sh
	cd tests/web && npm ci --ignore-scripts && DECK=../../target/release/deck node picture.mjs

bench-mcp: needs needs-web dist
	mkdir -p target/bench-mcp
	cd target/bench-mcp && npm install --no-save --prefix . --ignore-scripts @modelcontextprotocol/server-memory @modelcontextprotocol/server-everything
	DECK=target/dist/deck node tests/load/mcp_servers.mjs target/bench-mcp
	DECK=target/dist/deck node tests/load/mcp_kills.mjs 50

# tmux and git come through the system's package manager, only when they are missing.
needs:
	@sh ./assets/install-needs.sh tmux git

needs-web:
	@sh ./assets/install-needs.sh node:nodejs npm chromium
