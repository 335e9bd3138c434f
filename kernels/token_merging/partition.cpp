#include "kernels/token_merging/partition_lists.h"

namespace ablate::token_merging {

partition_lists lists_of(const token_partition& layout) {
  partition_lists lists;
  const auto tokens = static_cast<std::int32_t>(layout.tokens());
  for (std::int32_t token = 0; token < tokens; ++token) {
    const bool is_destination = layout.is_destination(token);
    lists.places.push_back(is_destination ? static_cast<std::int32_t>(lists.destinations.size())
                                          : -1 - static_cast<std::int32_t>(lists.sources.size()));
    (is_destination ? lists.destinations : lists.sources).push_back(token);
    if (layout.is_protected(token) && (layout.twice || !is_destination)) lists.appended.push_back(token);
  }
  for (std::size_t i = 0; i < lists.appended.size(); ++i)
    lists.places[static_cast<std::size_t>(lists.appended[i])] =
        static_cast<std::int32_t>(lists.destinations.size() + i);
  return lists;
}

}  // namespace ablate::token_merging
