// Whether a record has the cases of its plan, whose hash it holds.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/record/plan_hash.h"
#include "reports/verify/place.h"
#include "reports/verify/rivals.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

/// Of a list the cases that the program planned: no calibrations, which every shard runs, and no rivals.
std::vector<std::string> own_names(const checked_record& r, const char* list) {
  const ordered_json& facts = facts_of(r);
  std::vector<std::string> out;
  for (const ordered_json& entry : r.json.at(list))
    if (!entry.contains("ceiling") && entry.at("operation") != "ceilings" && !is_rival(facts, entry))
      out.push_back(entry.at("name").get<std::string>());
  return out;
}

std::string hash_of_whole(const std::string& about, const std::vector<std::string>& names) {
  planned_cases cases;
  for (const std::string& name : names) cases.emplace_back(name, 1);
  return plan_hash(about, 1, cases);
}

class completeness {
 public:
  completeness(const checked_record& r, std::vector<finding>& to)
      : r_(r),
        at_(r, "", to),
        measured_(own_names(r, "benchmarks")),
        unmeasured_(own_names(r, "unmeasured")) {}

  std::size_t check(const known_plans& plans) {
    check_twice();
    const ordered_json& facts = facts_of(r_);
    if (!facts.contains("shard") || facts.contains("parts")) return 0;
    const ordered_json& shard = facts.at("shard");
    const long index = shard.at("index").get<long>(), count = shard.at("count").get<long>();
    at_.expect(1 <= index && index <= count, "/context/ablate/shard/index",
               fmt::format("expected 1 to {}, the number of shards, found {}", count, index));
    if (shard.contains("cases")) return against_shard(shard.at("cases"), index);
    if (count != 1) return 0;
    const auto hash = shard.at("plan").get<std::string>();
    const std::string about = facts.at("suite").at("hash").get<std::string>() + "|";
    if (unmeasured_.empty() && hash_of_whole(about, measured_) == hash) return all();
    const auto known = plans ? plans(facts) : std::nullopt;
    if (!known) return 0;
    if (hash_of_whole(known->about, known->names) == hash) return against(known->names);
    if (!unmeasured_.empty()) return 0;  // where they stood in the plan is not told
    if (hash_of_whole(known->about, measured_) == hash) return all();
    // A suite without point files is all that its plan is about, so the names alone can be at fault.
    at_.expect(known->about != about, "/context/ablate/shard/plan",
               fmt::format("expected the hash of the suite and its cases, {}, found {}: a case was dropped, "
                           "added, renamed or moved",
                           hash_of_whole(about, measured_), hash));
    return known->about == about ? all() : 0;
  }

 private:
  std::size_t all() const { return measured_.size() + unmeasured_.size(); }

  void check_twice() {
    std::set<std::string> seen;
    for (const char* list : {"benchmarks", "unmeasured"}) {
      std::size_t i = 0;
      for (const ordered_json& entry : r_.json.at(list)) {
        const auto name = entry.at("name").get<std::string>();
        at_.expect(seen.insert(name).second, fmt::format("/{}/{}/name", list, i++),
                   fmt::format("expected each case once, found '{}' again", name));
      }
    }
  }

  std::size_t against(const std::vector<std::string>& planned) {
    std::set<std::string> here(measured_.begin(), measured_.end());
    here.insert(unmeasured_.begin(), unmeasured_.end());
    for (const std::string& name : planned)
      at_.expect(here.erase(name) > 0, "/benchmarks",
                 fmt::format("expected the case '{}' of the plan, found none", name));
    for (const std::string& name : here)
      at_.expect(false, "/benchmarks", fmt::format("expected no case beyond the plan, found '{}'", name));
    return all();
  }

  std::size_t against_shard(const ordered_json& shard_of, long index) {
    std::vector<std::string> planned;
    for (const auto& [name, shard] : shard_of.items())
      if (shard == index) planned.push_back(name);
    return against(planned);
  }

  const checked_record& r_;
  place at_;
  std::vector<std::string> measured_, unmeasured_;
};

}  // namespace

std::size_t check_complete(const checked_record& r, const known_plans& plans, std::vector<finding>& to) {
  return completeness(r, to).check(plans);
}

}  // namespace ablate::verify
