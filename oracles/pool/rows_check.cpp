#include "oracles/pool/rows_check.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "oracles/pool/exact_rows.h"

namespace ablate::pool {
namespace {

class comparison {
 public:
  explicit comparison(const problem& p) : p_(p) {}

  /// `accepted` 0: equal.
  void expect(const char* name, std::int64_t row, int c, double expected, double found, double accepted) {
    double error = 0;
    if (accepted > 0) {
      // Where the terms of an element cancel, it counts by what is accepted there.
      constexpr double least_of_accepted = 16;
      unit_errors element;
      element.add(found, expected, std::max(std::abs(expected), least_of_accepted * accepted));
      rounded(name).add(element);
    }
    if (!(found == expected)) {
      error = std::abs(found - expected) / accepted;
      if (accepted == 0 || !(error >= 0)) error = std::numeric_limits<double>::infinity();
    }
    note(error, [&] {
      return fmt::format("{}[{}], channel {}: expected {:.8g}, found {:.8g}", name, row, c, expected, found);
    });
  }

  void check_reduced(const std::uint16_t* rows, reduction op, const std::uint16_t* to, const char* name) {
    each_cluster([&](std::int64_t j, std::span<const std::uint32_t> members) {
      for (int c = 0; c < p_.channels; ++c) {
        const exact_channel right = reduced(op, rows, p_.channels, c, members);
        const bool is_exact = op == reduction::minimum || op == reduction::maximum;
        expect(name, j, c, right.value, element_of(to, j, p_.channels, c),
               is_exact ? 0 : bf16_ulp(right.value) + right.slack);
      }
    });
    check_padding(to, name);
  }

  void check_winners() {
    each_cluster([&](std::int64_t j, std::span<const std::uint32_t> members) {
      for (int c = 0; c < p_.channels; ++c) {
        const std::uint32_t right = reduced(p_.op, p_.features, p_.channels, c, members).winner;
        expect("winner", j, c, std::min<std::uint32_t>(right, late_winner), p_.winner[j * p_.channels + c],
               0);
      }
    });
  }

  void check_finished() {
    std::vector<exact_norm> norms;
    for (int c = 0; c < p_.channels; ++c) norms.emplace_back(p_.norm, p_.channels, c);
    each_cluster([&](std::int64_t j, std::span<const std::uint32_t> members) {
      for (int c = 0; c < p_.channels; ++c) {
        const exact_channel x = reduced(p_.op, p_.features, p_.channels, c, members);
        const exact_norm& norm = norms[static_cast<std::size_t>(c)];
        expect("finished", j, c, norm.finished(x.value), element_of(p_.finished, j, p_.channels, c),
               norm.accepted(x));
      }
    });
    check_padding(p_.finished, "finished");
  }

  void check_unpooled() {
    for (std::int64_t row = 0; row < p_.points; ++row)
      for (int c = 0; c < p_.channels; ++c) {
        const float sum = float_of_bf16(p_.skipped[row * p_.channels + c]) +
                          float_of_bf16(p_.down[std::int64_t{p_.cluster[row]} * p_.channels + c]);
        expect("up", row, c, static_cast<double>(float_of_bf16(bf16_of_float(sum))),
               element_of(p_.up, row, p_.channels, c), 0);
      }
  }

  void check_feature_gradient() {
    each_cluster([&](std::int64_t j, std::span<const std::uint32_t> members) {
      for (int c = 0; c < p_.channels; ++c) {
        const double gradient = element_of(p_.row_gradient, j, p_.channels, c);
        const std::uint32_t winner =
            p_.selects() ? reduced(p_.op, p_.features, p_.channels, c, members).winner : 0;
        for (std::uint32_t slot = 0; slot < members.size(); ++slot) {
          const double share = p_.op == reduction::mean ? gradient / static_cast<double>(members.size())
                               : p_.selects() && slot != winner ? 0
                                                                : gradient;
          expect("feature_gradient", members[slot], c, share,
                 element_of(p_.feature_gradient, members[slot], p_.channels, c),
                 p_.op == reduction::mean ? bf16_ulp(share) : 0);
        }
      }
    });
  }

  const rows_deviation& result() const { return result_; }

 private:
  signed_errors& rounded(const char* name) {
    if (result_.rounded.empty() || result_.rounded.back().name != name) result_.rounded.push_back({name});
    return result_.rounded.back().signs;
  }

  template <class Describe>
  void note(double error, Describe describe) {
    if (error > 1 && result_.worst <= 1) result_.message = describe();
    result_.worst = std::max(result_.worst, error);
  }

  template <class Use>
  void each_cluster(Use use) {
    const std::int64_t rows = p_.count[p_.instances];
    for (std::int64_t j = 0; j < rows; ++j)
      use(j, std::span<const std::uint32_t>(p_.member + p_.start[j], p_.start[j + 1] - p_.start[j]));
  }

  void check_padding(const std::uint16_t* rows, const char* name) {
    if (p_.is_grid()) return;
    for (std::int64_t row = p_.rows; row < p_.padded_rows; ++row)
      for (int c = 0; c < p_.channels; ++c) {
        const double found = element_of(rows, row, p_.channels, c);
        note(found == 0 ? 0 : std::numeric_limits<double>::infinity(), [&] {
          return fmt::format("P4: {}[{}], channel {}, padding: expected 0, found {:.8g}", name, row, c,
                             found);
        });
      }
  }

  const problem& p_;
  rows_deviation result_;
};

}  // namespace

rows_deviation deviation_of_rows(const problem& p) {
  comparison all(p);
  if (p.last == phase::reduce) all.check_reduced(p.features, p.op, p.pooled, "pooled");
  if (p.does(phase::reduce) && p.trains) all.check_winners();
  if (p.does(phase::finish)) all.check_finished();
  if (p.does(phase::unpool)) all.check_unpooled();
  if (p.does(phase::reduce_backward)) all.check_feature_gradient();
  if (p.does(phase::unpool_backward))
    all.check_reduced(p.point_gradient, reduction::sum, p.down_gradient, "down_gradient");
  return all.result();
}

}  // namespace ablate::pool
