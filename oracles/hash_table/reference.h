#pragma once

#include "kernels/hash_table/hash_table.h"

namespace ablate::hash_table {

/// The oracle for all phases up to `last`, into host buffers: `status`; for a search, `found`; for an
/// insertion (or clearing alone), `found` and `summary` as read back.
void reference(const problem&);

}  // namespace ablate::hash_table
