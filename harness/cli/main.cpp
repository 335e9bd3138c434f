#include <cstdio>
#include <exception>

#include "harness/cli/program.h"
#include "reports/bad_input.h"

int main(int argc, char** argv) {
  try {
    return ablate::run_program(argc, argv);
  } catch (const ablate::bad_input& e) {
    std::fprintf(stderr, "ablate: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate: internal failure: %s\n", e.what());
    return 75;
  }
}
