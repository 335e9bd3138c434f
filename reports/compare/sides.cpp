#include "reports/compare/sides.h"

#include <fmt/format.h>

#include "base/text/or_null.h"

namespace ablate::compare {

using nlohmann::ordered_json;
using reports::text_or_null;

std::string side_text(const std::vector<record>& side) {
  std::string out;
  for (const record& r : side)
    out += fmt::format("{}{} ({}, {}, sources {:.12})", out.empty() ? "" : "; ", r.path.string(),
                       r.device_name, r.date, r.build.source_hash);
  return out;
}

ordered_json side_json(const std::vector<record>& side) {
  ordered_json out = ordered_json::array();
  for (const record& r : side)
    out.push_back({{"path", r.path.string()},
                   {"date", r.date},
                   {"suite", r.suite_name},
                   {"device", r.device_name},
                   {"uuid", r.device.value("uuid", ordered_json())},
                   {"seed", r.seed},
                   {"commit", text_or_null(r.build.commit)},
                   {"source_hash", text_or_null(r.build.source_hash)}});
  return out;
}

}  // namespace ablate::compare
