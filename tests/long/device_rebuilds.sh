#!/bin/sh
# 10,000 trees on a device, after which it has no more memory than after 20; a few hundred are in `make check`.
cd "$(dirname "$0")/../.." || exit 1
export KYOHO_TEST_REBUILDS=10000 KYOHO_TEST_ONLY='rebuilds_*'
exec "$BUILD/tests/unit/device_tree_use"
