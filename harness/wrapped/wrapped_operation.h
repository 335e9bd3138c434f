#pragma once

#include <filesystem>
#include <string>

namespace ablate::wrapped {

/// Reads a file of wrapped kernels and registers its operation, its kernels' registers and shared memory.
/// Code is loaded when a case launches it first. Gives the operation's name. Throws bad_input, also where the
/// program has an operation of that name.
std::string add_wrapped(const std::filesystem::path&);

}  // namespace ablate::wrapped
