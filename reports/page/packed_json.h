#pragma once

#include <nlohmann/json.hpp>

namespace ablate::reports {

/// JSON of many similar objects in a fraction of the size: {"keys": […], "shared": […], "value": …}. An
/// object is [k, values…] with `keys[k]` its names, an array is [-1, elements…], and a text or structure that
/// occurs more than once is {"": i} for `shared[i]`. reports/page/html/unpack.js reads it in the page.
nlohmann::ordered_json packed(const nlohmann::ordered_json&);
nlohmann::ordered_json unpacked(const nlohmann::ordered_json& packed);

}  // namespace ablate::reports
