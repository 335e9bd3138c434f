"""Skips a test program for want of a capability, or fails it where ABLATE_REQUIRE lists it."""

import os
import sys

SKIPPED, FAILED = 77, 1


def lacks(capability, why):
    """Ends the program. The names are those of tests/support/capability.h."""
    if capability in os.environ.get("ABLATE_REQUIRE", "").split(","):
        print(f"[{capability}] ABLATE_REQUIRE names what is missing: {why}", file=sys.stderr)
        sys.exit(FAILED)
    print(f"[{capability}] {why}")
    sys.exit(SKIPPED)
