#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/registry/array_operation.h"
#include "harness/wrapped/read_launch.h"

namespace ablate::wrapped {

/// A file of wrapped kernels (docs/wrap.md): an operation, whose launches are `launches` in the order of its
/// variants.
struct wrapped_file {
  array_definition operation;
  std::vector<wrapped_launch> launches;
  std::string hash;  ///< of the file and of all code that it names
};

/// Throws bad_input, with the file and the place in it.
wrapped_file read_wrapped(const std::filesystem::path&);

/// The same for a plugin's text, whose variants have no code and no launches; `plugin` is its path.
array_definition read_plugin_operation(const std::string& text, const std::filesystem::path& plugin);

}  // namespace ablate::wrapped
