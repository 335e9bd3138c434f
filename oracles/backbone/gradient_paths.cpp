#include "oracles/backbone/gradient_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

namespace ablate::backbone {
namespace {

/// A gradient as what it is the sum of, ascending: the given gradient of the output, and what steps send back
/// to the rows that they read.
using summands = std::vector<int>;

constexpr int of_output = 0;
constexpr int sent_by(int step) { return 2 * step + 1; }
/// Before a step's norm passes it on.
constexpr int sent_to_norm(int step) { return 2 * step + 2; }

summands sum_of(const summands& a, const summands& b) {
  summands all;
  std::ranges::merge(a, b, std::back_inserter(all));
  return all;
}

bool has_gradient(const step& s) {
  return !is_index(s.kind) && s.kind != step_kind::add && s.kind != step_kind::activate &&
         s.kind != step_kind::take;
}

class followed_gradients {
 public:
  explicit followed_gradients(const network& n)
      : n_(n),
        forward_(static_cast<int>(std::ranges::find_if(n.steps, is_gradient, &step::kind) - n.steps.begin())),
        arriving_(n.tensors.size()),
        found_(n.tensors.size()),
        normalized_by_(n.tensors.size(), -1),
        is_differentiated_(at(forward_)) {
    for (std::size_t i = 0; i < n.tensors.size(); ++i)
      if (n.tensors[i].at == tensor::home::output_gradient) found_[i] = {of_output};
  }

  std::string violation() {
    for (int i = forward_; i < static_cast<int>(n_.steps.size()); ++i)
      if (!follow(i))
        return fmt::format(
            "{}: no forward step has this gradient: what arrives there is not the sum of all that its rows "
            "went into, or the layer, rows, windows or dropped rows are another step's",
            n_.steps[at(i)].name);
    for (int i = 0; i < forward_; ++i)
      if (has_gradient(n_.steps[at(i)]) && !is_differentiated_[at(i)])
        return n_.steps[at(i)].name + ": no step has its gradient";
    return violation_of_rows();
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// A block's, which are the network's only input with a gradient.
  std::string violation_of_rows() {
    if (!n_.is_block()) return {};
    const auto place_of = [&](tensor::home where) {
      return at(static_cast<int>(std::ranges::find(n_.tensors, where, &tensor::at) - n_.tensors.begin()));
    };
    const std::size_t rows = place_of(tensor::home::input), gradient = place_of(tensor::home::input_gradient);
    if (gradient < n_.tensors.size() && found_[gradient] == arriving(static_cast<int>(rows))) return {};
    return "the gradient of the rows is not the sum of all that they went into";
  }

  /// What all forward steps that read a tensor send back to it. Residuals and skipped rows have the gradient
  /// of the sum that they went into.
  const summands& arriving(int tensor) {
    std::optional<summands>& known = arriving_[at(tensor)];
    if (known) return *known;
    summands all;
    if (n_.tensors[at(tensor)].at == tensor::home::output) all.push_back(of_output);
    for (int i = 0; i < forward_; ++i) {
      const step& s = n_.steps[at(i)];
      const bool is_sum = s.kind == step_kind::add;
      if (s.in == tensor && !is_sum) all = sum_of(all, {sent_by(i)});
      if (s.skip == tensor || (s.in == tensor && is_sum)) all = sum_of(all, arriving(s.out));
    }
    return known.emplace(std::move(all));
  }

  /// Notes what a step leaves; whether it is a right one.
  bool follow(int number) {
    const step& g = n_.steps[at(number)];
    if (g.in < 0) return false;
    switch (g.kind) {
      case step_kind::add:
        if (g.skip < 0) return false;
        found_[at(g.out)] = sum_of(found_[at(g.in)], found_[at(g.skip)]);
        return true;
      case step_kind::pack:
        found_[at(g.out)] = found_[at(g.in)];
        return true;
      case step_kind::normalize:
        normalized_by_[at(g.out)] = number;
        return true;
      default:
        break;
    }
    const std::optional<int> of = forward_step_of(g);
    if (!of || is_differentiated_[at(*of)]) return false;
    const bool goes_to_norm = g.kind == step_kind::linear_gradient && n_.steps[at(*of)].norm >= 0;
    if (!goes_to_norm) is_differentiated_[at(*of)] = true;
    int sender = *of;
    if (g.kind == step_kind::mlp_gradient) {
      sender = first_of_mlp(*of);
      is_differentiated_[at(sender)] = true;
    }
    if (g.out < 0) return true;
    found_[at(g.out)] = {goes_to_norm ? sent_to_norm(sender) : sent_by(sender)};
    const int beside = g.kind == step_kind::mlp_gradient && g.beside < 0 ? g.in : g.beside;
    if (beside >= 0) found_[at(g.out)] = sum_of(found_[at(g.out)], found_[at(beside)]);
    return true;
  }

  /// The one whose gradient a step is, if any.
  std::optional<int> forward_step_of(const step& g) {
    for (int i = 0; i < forward_; ++i) {
      const step& s = n_.steps[at(i)];
      if (g.kind == step_kind::norm_gradient && s.kind == step_kind::linear) {
        if (s.norm == g.norm && s.in == g.kept && found_[at(g.in)] == summands{sent_to_norm(i)}) return i;
      } else if (s.level == g.level && is_gradient_of(g, s) && found_[at(g.in)] == arriving(s.out)) {
        return i;
      }
    }
    return std::nullopt;
  }

  int writer_of(int tensor) const {
    for (int i = 0; i < forward_; ++i)
      if (n_.steps[at(i)].out == tensor) return i;
    return -1;
  }
  /// The layer before an MLP's activation; −1 if there is none.
  int first_of_mlp(int second) const {
    const int activation = writer_of(n_.steps[at(second)].in);
    if (activation < 0 || n_.steps[at(activation)].kind != step_kind::activate) return -1;
    return writer_of(n_.steps[at(activation)].in);
  }

  /// Whether `g` is the gradient of `s`, apart from what arrives at it.
  bool is_gradient_of(const step& g, const step& s) const {
    switch (g.kind) {
      case step_kind::linear_gradient:
        return s.kind == step_kind::linear && g.layer == s.layer && has_rows_of(g, s);
      case step_kind::mlp_gradient: {
        if (s.kind != step_kind::linear || g.second != s.layer) return false;
        const int first = first_of_mlp(static_cast<int>(&s - n_.steps.data()));
        if (first < 0) return false;
        const step& of = n_.steps[at(first)];
        return g.layer == of.layer && g.norm == of.norm && g.kept == of.in && g.written == of.out;
      }
      case step_kind::attention_gradient:
        return s.kind == step_kind::attention && g.heads == s.heads && g.windows_at == s.windows_at &&
               g.kept == s.in && g.written == s.out && g.lse == s.lse;
      case step_kind::batch_gradient:
        return s.kind == step_kind::batch_norm && g.layer == s.layer && g.kept == s.in &&
               g.written == s.written;
      case step_kind::norm_gradient:
        return s.kind == step_kind::add_normed && g.norm == s.norm && g.kept == s.in;
      case step_kind::convolution_gradient:
        return s.kind == step_kind::convolve && g.layer == s.layer && g.is_stem == s.is_stem &&
               g.kept == s.in;
      case step_kind::embed_gradient:
        return s.kind == step_kind::embed && g.layer == s.layer;
      case step_kind::pool_gradient:
        return s.kind == step_kind::pool && g.kept == (n_.pools_by_grid() ? s.in : -1);
      case step_kind::unpool_gradient:
        return s.kind == step_kind::unpool;
      case step_kind::restore_gradient:
        return s.kind == step_kind::restore;
      case step_kind::drop_gradient:
        return s.kind == step_kind::add_dropped && g.drop == s.drop && g.drop_seed == s.drop_seed;
      case step_kind::from_windows_gradient:
        return s.kind == step_kind::from_windows && g.curve == s.curve;
      case step_kind::into_windows_gradient:
        return s.kind == step_kind::into_windows && g.curve == s.curve;
      default:
        return false;
    }
  }

  /// The layer's own, or those by its norm again.
  bool has_rows_of(const step& g, const step& s) const {
    if (s.norm < 0) return g.kept == s.in;
    const int by = g.kept < 0 ? -1 : normalized_by_[at(g.kept)];
    return by >= 0 && n_.steps[at(by)].norm == s.norm && n_.steps[at(by)].in == s.in;
  }

  const network& n_;
  int forward_;                                    ///< steps
  std::vector<std::optional<summands>> arriving_;  ///< of a forward tensor, as far as it was asked for
  std::vector<summands> found_;                    ///< of a gradient's tensor, as the steps so far leave it
  std::vector<int> normalized_by_;                 ///< of rows by a norm again: the step
  std::vector<bool> is_differentiated_;            ///< of a forward step
};

}  // namespace

std::string violated_gradients(const network& n) { return followed_gradients(n).violation(); }

}  // namespace ablate::backbone
