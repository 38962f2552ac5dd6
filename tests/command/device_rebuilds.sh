#!/bin/sh
# 10,000 trees on a device, 2,000 on a processor that serves as one, which then has no more memory than after 20. `make check-long`
# has a few hundred trees.
cd "$(dirname "$0")/../.." || exit 1
export KYOHO_TEST_REBUILDS=10000 KYOHO_TEST_ONLY='rebuilds_*'
exec "$BUILD/tests/unit/device_tree_use"
