#!/bin/sh
# Two bodies for a million steps on every engine, a twentieth of that on processors that serve as devices; fewer are in
# `make check`.
cd "$(dirname "$0")/../.." || exit 1
export KYOHO_TEST_STEPS=1000000
exec "$BUILD/tests/unit/long_orbit"
