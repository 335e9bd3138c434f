#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "reports/gate/static_facts.h"

namespace ablate::gate {

/// Counts instructions in the output of `cuobjdump -sass`, piece by piece: a program's listing is far larger
/// than its machine code, so it is never held whole.
class sass_counter {
 public:
  /// The next bytes of the listing; lines may be split anywhere.
  void feed(std::string_view piece);

  /// By mangled name and architecture, with the names of static_quantity. Call it after the end of the
  /// listing.
  const std::map<std::pair<std::string, std::string>, counts>& kernels();

 private:
  void line(std::string_view);
  void instruction(std::string_view opcode);

  std::string rest_;  ///< an incomplete line
  std::string architecture_;
  counts* current_ = nullptr;
  std::map<std::pair<std::string, std::string>, counts> kernels_;
};

}  // namespace ablate::gate
