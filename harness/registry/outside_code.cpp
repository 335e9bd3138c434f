#include "harness/registry/outside_code.h"

#include <map>
#include <utility>

namespace ABLATE_ABI {

namespace {

std::map<std::string, outside_code>& registered_code() {
  static std::map<std::string, outside_code> code;
  return code;
}

}  // namespace

void register_outside_code(const std::string& operation, outside_code code) {
  registered_code()[operation] = std::move(code);
}

const outside_code* find_outside_code(const std::string& operation) {
  const auto found = registered_code().find(operation);
  return found == registered_code().end() ? nullptr : &found->second;
}

}  // namespace ABLATE_ABI
