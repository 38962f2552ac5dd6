#!/bin/sh
# --error is kept in nine kinds of systems of 100,000 and of a million bodies; prints a row for each of four errors, of a million
# bodies for two. `make check` has 3,000 bodies.
cd "$(dirname "$0")/../.." || exit 1
export KYOHO_TEST_ONLY='the_error_is_kept'
for bodies in 100000 1000000; do
    KYOHO_TEST_BODIES=$bodies "$BUILD/tests/unit/force_error" || exit 1
done
