#!/usr/bin/env bash
# Runs all tests, to the end also where one fails, and names those that failed. Arguments go to `cargo test`.
set -euo pipefail
# Most tests of the whole program wait for other processes most of the time.
threads=$((8 * $(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)))
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((threads < 64 ? threads : 64))}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
cargo test --no-fail-fast "$@" 2>&1 | tee "$log" || status=$?
failed=$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | sort -u)
if [ -n "$failed" ]; then
  printf '\nThese tests failed:\n%s\n' "$failed"
fi
exit "$status"
