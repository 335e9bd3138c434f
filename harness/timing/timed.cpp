#include "harness/timing/timed.h"

#include <cmath>

#include "harness/timing/statistics.h"

namespace ablate {

namespace {

// A nanosecond is finer than any of the clocks; more digits would only lengthen the record.
double to_nanoseconds(double us) { return std::round(us * 1000) / 1000; }

}  // namespace

nlohmann::ordered_json to_json(const timed& t) {
  std::vector<double> samples;
  for (double sample : t.samples_us) samples.push_back(to_nanoseconds(sample));
  const summary s = summarize(samples);
  nlohmann::ordered_json json = {{"median", to_nanoseconds(s.median)},
                                 {"min", s.minimum},
                                 {"mad", to_nanoseconds(s.mad)},
                                 {"ci95_low", s.ci95_low},
                                 {"ci95_high", s.ci95_high},
                                 {"method", t.method},
                                 {"launches_per_sample", t.launches_per_sample},
                                 {"warmup_launches", t.warmup_launches},
                                 {"stopped_by", to_string(t.stopped_by)},
                                 {"samples", samples}};
  if (!t.clock.is_null()) json["clock"] = t.clock;
  return json;
}

}  // namespace ablate
