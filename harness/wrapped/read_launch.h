#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/wrapped/element_type.h"
#include "harness/wrapped/expression.h"
#include "harness/wrapped/loadable_kernel.h"
#include "harness/wrapped/read_array.h"

namespace ablate::wrapped {

enum class argument_kind { array, null, integer, real };

/// One argument of a kernel.
struct argument {
  argument_kind kind = argument_kind::null;
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

/// The files of code that variants name, each read once.
class code_files {
 public:
  std::shared_ptr<const kernel_code> at(const std::filesystem::path&);

  /// Adds a text to the hash of all that was read.
  void add_to_hash(const std::string& text);
  std::string hash() const;

 private:
  std::map<std::string, std::shared_ptr<const kernel_code>> files_;
  std::string hashes_;
};

/// How a variant of a file launches its kernel.
wrapped_launch read_launch(const json_place& variant, const file_scope&, code_files&);

/// The least compute capability that its code runs on.
int least_capability(const wrapped_launch&);

}  // namespace ablate::wrapped
