#pragma once

#include <string>
#include <string_view>

#include "base/record/record.h"

namespace ablate {

/// What a case's id is made of.
struct case_name_parts {
  std::string operation, variant, cache_state;
  named_words axes;
};

/// operation/variant/axis=value/.../@cache-state
std::string case_name(const case_name_parts&);

/// Of such an id. Parts that are not there stay empty.
case_name_parts parts_of_case_name(std::string_view);

}  // namespace ablate
