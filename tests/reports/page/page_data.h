#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/page/packed_json.h"

namespace ablate::reports {

/// Data of a page, in which a script element holds it.
inline nlohmann::ordered_json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  return unpacked(nlohmann::ordered_json::parse(page.substr(from, page.find("</script>", from) - from)));
}

}  // namespace ablate::reports
