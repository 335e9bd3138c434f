#pragma once

#include <filesystem>
#include <optional>

#include "reports/gate/static_facts.h"

namespace ablate {

/// What is known of this program's own kernels without a GPU: the compiler's report of each, and what each
/// variant launches on each chip at its default axes. Kernels of libraries (cub) are left out: their code is
/// the toolkit's. Throws bad_input in a build that holds no machine code.
gate::static_facts_file program_facts();

/// cuobjdump of PATH or of /usr/local/cuda, or nothing.
std::optional<std::filesystem::path> find_cuobjdump();

/// Adds the SASS counts of `program`'s kernels. Throws std::runtime_error where cuobjdump fails.
void count_sass(gate::static_facts_file&, const std::filesystem::path& cuobjdump,
                const std::filesystem::path& program);
/// The same from a file that holds what `cuobjdump -sass` printed. Throws bad_input for one that names none
/// of the kernels.
void count_sass(gate::static_facts_file&, const std::filesystem::path& listing);

}  // namespace ablate
