#pragma once

// The version of Ablate that these headers belong to. CMakeLists.txt sets it, and scripts/check_documents.py
// holds this file to it.
#define ABLATE_VERSION_MAJOR 0
#define ABLATE_VERSION_MINOR 1
#define ABLATE_VERSION_PATCH 0

/// To compare with: `#if ABLATE_VERSION >= 200` is 0.2.0 or later.
#define ABLATE_VERSION (ABLATE_VERSION_MAJOR * 10000 + ABLATE_VERSION_MINOR * 100 + ABLATE_VERSION_PATCH)

// `namespace ABLATE_ABI {` is `namespace ablate::inline v0_1 {`: the registry's types and functions, which
// operations of a project are made of. A minor version may break them before 1.0, so the name has both
// numbers: what was compiled with the headers of another version does not link. Nobody spells the name, for
// the namespace is inline.
#define ABLATE_JOINED_ABI(major, minor) ablate::inline v##major##_##minor
#define ABLATE_ABI_OF(major, minor) ABLATE_JOINED_ABI(major, minor)
#define ABLATE_ABI ABLATE_ABI_OF(ABLATE_VERSION_MAJOR, ABLATE_VERSION_MINOR)
