#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/registry/array_operation.h"
#include "harness/wrapped/element_type.h"
#include "harness/wrapped/expression.h"
#include "harness/wrapped/loadable_kernel.h"

namespace ablate::wrapped {

/// One argument of a kernel.
struct argument {
  enum class kind { array, null, integer, real };

  kind is = kind::null;
  argument_facts facts = {"null", sizeof(void*)};
  std::size_t array = 0;               ///< index among the arrays
  const element_type* type = nullptr;  ///< of an integer or a real
  expression integer = expression::constant(0);
  double real = 0;
};

/// How a variant of a file launches its kernel.
struct wrapped_launch {
  loadable_kernel kernel;
  std::string symbol;                   ///< the kernel's name in records
  std::vector<expression> grid, block;  ///< x, y, z: one to three
  expression dynamic_shared_bytes = expression::constant(0);
  unsigned cluster_blocks = 1;
  bool grid_counts_clusters = false;  ///< as Triton's does
  bool cooperative = false;
  std::vector<argument> arguments;
};

/// A file of wrapped kernels (docs/wrap.md): an operation, whose launches are `launches` in the order of its
/// variants.
struct wrapped_file {
  array_definition operation;
  std::vector<wrapped_launch> launches;
  std::string hash;  ///< of the file and of all code that it names
};

/// Throws bad_input, with the file and the place in it.
wrapped_file read_wrapped(const std::filesystem::path&);

/// The same of a plugin's text, whose variants have no code and no launches; `plugin` is where it stands.
array_definition read_plugin_operation(const std::string& text, const std::filesystem::path& plugin);

}  // namespace ablate::wrapped
