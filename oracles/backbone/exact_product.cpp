#include "oracles/backbone/exact_product.h"

#include <algorithm>
#include <vector>

namespace ablate::backbone {

/// Of c: a tile whose sums a processor keeps in registers.
constexpr std::size_t tile_rows = 4, tile_columns = 4;

void add_product(double* c, std::size_t rows, std::size_t columns, std::size_t inner, strided_matrix a,
                 strided_matrix b) {
  std::vector<double> packed(inner * tile_columns);
  for (std::size_t column = 0; column < columns; column += tile_columns) {
    const std::size_t width = std::min(tile_columns, columns - column);
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t j = 0; j < width; ++j) packed[i * tile_columns + j] = b(i, column + j);
    for (std::size_t row = 0; row < rows; row += tile_rows) {
      const std::size_t height = std::min(tile_rows, rows - row);
      double sums[tile_rows][tile_columns] = {};
      const double* factors[tile_rows];
      for (std::size_t r = 0; r < tile_rows; ++r) {
        const std::size_t there = row + std::min(r, height - 1);  // past the last row: it again
        factors[r] = a.at + there * a.down;
        std::copy_n(c + there * columns + column, width, sums[r]);
      }
      const double* of_column = packed.data();
      for (std::size_t i = 0; i < inner; ++i, of_column += tile_columns)
        for (std::size_t r = 0; r < tile_rows; ++r) {
          const double factor = factors[r][i * a.across];
          for (std::size_t j = 0; j < tile_columns; ++j) sums[r][j] += factor * of_column[j];
        }
      for (std::size_t r = 0; r < height; ++r) std::copy_n(sums[r], width, c + (row + r) * columns + column);
    }
  }
}

std::vector<double> picked_rows(const double* from, std::size_t pitch, std::size_t width,
                                std::span<const std::size_t> rows) {
  std::vector<double> picked(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(from + rows[i] * pitch, width, picked.data() + i * width);
  return picked;
}

}  // namespace ablate::backbone
