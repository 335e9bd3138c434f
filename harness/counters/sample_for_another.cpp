#include "harness/counters/sample_for_another.h"

#include <cstdint>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "harness/counters/sampled_ranges.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* requests_file = "request";

std::vector<device_range> ranges_at(const json_place& at) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<device_range> out;
  for (const json_place& range : at.at_least_one("range [from, to]")) {
    const std::vector<json_place> ends = range.elements();
    if (ends.size() != 2) range.refuse_value("[from, to]");
    out.push_back({static_cast<std::uint64_t>(ends[0].integer(0, most)),
                   static_cast<std::uint64_t>(ends[1].integer(0, most))});
    if (out.back().end_ns <= out.back().start_ns) range.refuse_value("[from, to], from before to");
  }
  return out;
}

class conversation {
 public:
  conversation(device_sampler& sampler, std::istream& requests, std::ostream& answers)
      : sampler_(sampler), requests_(requests), answers_(answers) {}

  void hold() {
    for (std::string line; std::getline(requests_, line);) answer_to(line);
  }

 private:
  void answer(const ordered_json& reply) { answers_ << reports::json_text(reply) << std::endl; }

  /// Answers `what` and, if it cannot be done, why.
  void answer_to(const std::string& line) {
    try {
      const ordered_json request = reports::parse_json(line, requests_file);
      const json_place root(request, requests_file);
      root.expect_keys({"begin", "end", "finish"});
      if (const auto begin = root.find("begin")) return sample(begin->at("range_us").positive());
      if (const auto finish = root.find("finish")) return give(*finish);
      root.refuse("expected 'begin' or 'finish': nothing is sampled");
    } catch (const bad_input& refused) {
      answer({{"status", "refused"}, {"reason", refused.what()}});
    } catch (const counters_unavailable& why) {
      answer({{"status", "unavailable"}, {"reason", why.what()}});
    }
  }

  /// Until the next request, which says what ran meanwhile.
  void sample(double range_us) {
    const std::uint64_t interval_ns = interval_of_ranges_ns(range_us);
    std::string line;
    const clocked_samples taken = sampler_.sample(interval_ns, [&] {
      answer({{"status", "sampling"}});
      std::getline(requests_, line);
    });
    if (line.empty()) return;  // the other program has ended
    const ordered_json request = reports::parse_json(line, requests_file);
    const json_place root(request, requests_file);
    root.expect_keys({"end"});
    add_round(taken, ranges_at(root.at("end").at("ranges")), ranges_);
    ranges_.interval_ns = interval_ns;
    answer({{"status", "ok"}, {"ranges", ranges_.sampled.size()}});
  }

  void give(const json_place& finish) {
    ranges_.unsampled = ranges_at(finish.at("unsampled"));
    const ordered_json sampled = to_json(sampled_of(sampler_.keys(), ranges_));
    ranges_ = {};
    answer({{"status", "ok"}, {"sampled", sampled}});
  }

  device_sampler& sampler_;
  std::istream& requests_;
  std::ostream& answers_;
  sampled_ranges ranges_;
};

}  // namespace

void sample_for_another(device_sampler& sampler, std::istream& requests, std::ostream& answers) {
  conversation(sampler, requests, answers).hold();
}

}  // namespace ablate
