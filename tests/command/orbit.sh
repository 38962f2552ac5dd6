#!/bin/sh
# Two bodies for a million steps on every engine, and a twentieth of that on processors that serve as devices. `make check`
# has fewer steps.
cd "$(dirname "$0")/../.." || exit 1
export KYOHO_TEST_STEPS=1000000
exec "$BUILD/tests/unit/long_orbit"
