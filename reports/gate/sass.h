#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "reports/gate/static_facts.h"

namespace ablate::gate {

/// Counts instructions in what `cuobjdump -sass` prints, piece by piece: the listing of a program is larger
/// than its machine code by far, so it is never held as a whole.
class sass_counter {
 public:
  /// The next bytes of the listing; lines may be cut anywhere.
  void feed(std::string_view piece);

  /// By mangled name and architecture, as static_quantity names them. Call it when the listing has ended.
  const std::map<std::pair<std::string, std::string>, counts>& kernels();

 private:
  void line(std::string_view);
  void instruction(std::string_view opcode);

  std::string rest_;  ///< of a line whose end has not come
  std::string architecture_;
  counts* current_ = nullptr;
  std::map<std::pair<std::string, std::string>, counts> kernels_;
};

}  // namespace ablate::gate
