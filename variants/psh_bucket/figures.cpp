#include "variants/psh_bucket/figures.h"

#include "base/text/or_null.h"
#include "oracles/psh_bucket/picture.h"
#include "oracles/psh_bucket/quality.h"

namespace ablate::psh_bucket {
nlohmann::ordered_json quality(const problem& host, std::span<const std::uint16_t> homes) {
  const quality_figures figures = quality_of(host, homes);
  return {{"locality_rms_m", reports::or_null(figures.locality_rms)},
          {"purity", reports::or_null(figures.purity)},
          {"at_home_share", reports::or_null(figures.at_home_share)},
          {"largest_bucket", reports::or_null(figures.largest_bucket)},
          {"buckets_over_capacity", reports::or_null(figures.buckets_over_capacity)},
          {"bin_share", reports::or_null(figures.bin_share)}};
}

nlohmann::ordered_json picture(const problem& host, const std::string& title) {
  auto points = nlohmann::ordered_json::array();
  for (const drawn_point& d : picture_of(host))
    points.push_back({d.x, d.y, d.bucket, int{d.in_scope}, int{d.in_shifted}, int{d.in_strided}});
  return {{"title", title},
          {"x", "x, m"},
          {"y", "y, m"},
          {"panels",
           {{{"title", "buckets"}, {"kind", "category"}},
            {{"title", "one scope"}, {"kind", "members"}},
            {{"title", "shifted"}, {"kind", "members"}},
            {{"title", "strided"}, {"kind", "members"}}}},
          {"points", points}};
}

nlohmann::ordered_json read_instruments(std::span<const std::uint64_t> counts) {
  if (counts[points] == 0) return nullptr;
  const auto per = reports::quotient_or_null;
  return {{"points", counts[points]},
          {"overflows", counts[overflows]},
          {"overflow_share", per(counts[overflows], counts[points])},
          {"probes_per_overflow", per(counts[probes], counts[overflows])},
          {"attempts", counts[attempts]},
          {"failures", counts[failures]},
          {"leftovers", counts[leftovers]},
          {"leftover_share", per(counts[leftovers], counts[points])},
          {"drained", counts[drained]},
          {"global_atomics", counts[global_atomics]},
          {"shared_atomics", counts[shared_atomics]}};
}

}  // namespace ablate::psh_bucket
