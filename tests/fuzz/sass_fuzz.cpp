#include "reports/gate/sass.h"

#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// In two pieces, as from a pipe.
void feed_sass(const std::filesystem::path& file) {
  const std::string text = test_support::slurp(file);
  gate::sass_counter counter;
  counter.feed(std::string_view(text).substr(0, text.size() / 2));
  counter.feed(std::string_view(text).substr(text.size() / 2));
  counter.kernels();
}

const registered sass_target("sass", feed_sass);

}  // namespace
}  // namespace ablate::fuzz
