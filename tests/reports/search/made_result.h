#pragma once

#include "reports/search/result.h"
#include "tests/reports/search/made_world.h"

namespace ablate::search::made {

/// A search of a space in which one point is wrong and one cannot run.
class made_result {
 public:
  explicit made_result(std::size_t most_checks = 1000)
      : of_(space_of(product_of({{"threads", {"128", "256"}}, {"pdl", {"on"}}}, [](const named_words& v) {
          return at(v, "threads") == "256" && at(v, "pdl") == "on" ? "needs sm_100" : "";
        }))) {
    gpu by(of_, [](const named_words& v) {
      return 100 *
             (at(v, "threads") == "256"   ? 0.5
              : at(v, "threads") == "128" ? 0.8
                                          : 1) *
             (at(v, "pdl") == "on" ? 0.999 : 1);
    });
    by.most_checks = most_checks;
    by.faults[*of_.find("threads=128+pdl=on")] = {1, "wrong", "cell 3 differs"};
    is.emplace(result{{"scatter", {{"items", "1024"}}, "cold-clean", "halving", 1, 60},
                      &of_,
                      by_halving(of_, {{0}, 0}, how(), by),
                      0,
                      12.5,
                      3,
                      "NVIDIA H200",
                      "2026-11-30T00:00:00+00:00",
                      "0.1.0",
                      "out/search_scatter",
                      std::nullopt});
  }
  made_result(const made_result&) = delete;

  result* operator->() { return &*is; }
  const result& operator*() const { return *is; }
  const space& points() const { return of_; }

 private:
  space of_;
  std::optional<result> is;
};

}  // namespace ablate::search::made
