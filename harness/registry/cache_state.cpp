#include "harness/registry/cache_state.h"

namespace ABLATE_ABI {

std::string_view to_string(cache_state state) {
  switch (state) {
    case cache_state::cold_clean:
      return "cold-clean";
    case cache_state::hot:
      return "hot";
    case cache_state::rotating:
      return "rotating";
    case cache_state::host:
      return "host";
  }
  return "";
}

std::optional<cache_state> parse_cache_state(std::string_view text) {
  for (cache_state state :
       {cache_state::cold_clean, cache_state::hot, cache_state::rotating, cache_state::host})
    if (to_string(state) == text) return state;
  return std::nullopt;
}

}  // namespace ABLATE_ABI
