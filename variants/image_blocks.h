#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/axis.h"
#include "kernels/block_pooling/block_pooling.h"
#include "kernels/selection_attention/selection_attention.h"

// What the operations on blocks of images' tokens (pooling, compression, selection, their layer) have in
// common: axes, and what they refuse.

namespace ablate {

/// Words of an axis, and what each means to an operation; the first is the default.
template <class Meaning, std::size_t Count>
using word_table = std::array<std::pair<const char*, Meaning>, Count>;

template <class Meaning, std::size_t Count>
axis axis_of(std::string name, const word_table<Meaning, Count>& table, std::string description) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : table) words.emplace_back(word);
  return axis::of_words(std::move(name), std::move(words), std::move(description));
}

/// Of one of the table's words.
template <class Meaning, std::size_t Count>
Meaning meaning_of(const word_table<Meaning, Count>& table, const std::string& word) {
  return std::ranges::find_if(table, [&](const auto& known) { return known.first == word; })->second;
}

inline axis images_axis() {
  return axis::of_integers("images", 1, 2048, 32, "images of 1008 tokens (36 x 28 patches)");
}
inline axis heads_axis() { return axis::of_integers("heads", 1, 64, 16, "heads of 64 elements"); }
inline axis block_axis(std::string description) {
  return axis::of_words("block", {"16", "32", "64", "128"}, std::move(description));
}

/// Tokens of all images.
inline long tokens_at(const axis_values& at) { return at.integer("images") * block_pooling::tokens_of_image; }

/// Why images are no whole blocks, if they are not.
inline std::optional<std::string> refuses_blocks(const axis_values& at) {
  const long tokens = tokens_at(at), block = at.integer("block");
  if (tokens % block == 0) return std::nullopt;
  return fmt::format("images={}: {} tokens are not whole blocks of {}", at.integer("images"), tokens, block);
}

/// Blocks that begin in the first image.
inline int blocks_of_first_frame(int block) { return (block_pooling::tokens_of_image + block - 1) / block; }

constexpr word_table<selection_attention::first_frame, 4> first_frame_words = {
    {{"competes", selection_attention::first_frame::competes},
     {"forced", selection_attention::first_frame::forced},
     {"masked", selection_attention::first_frame::masked},
     {"dense", selection_attention::first_frame::dense}}};

/// Of these words alone.
inline axis first_frame_axis(std::vector<std::string> words, std::string description) {
  return axis::of_words("first_frame", std::move(words), std::move(description)).silent_at_default();
}
inline selection_attention::first_frame first_frame_at(const axis_values& at) {
  return meaning_of(first_frame_words, at.word("first_frame"));
}

}  // namespace ablate
