#pragma once

// What an operation's launches.h declares its launch functions with. They submit their kernels through a
// launcher, and read the parameters of their variant from its switches.

namespace ablate {

class launcher;
class switches;

}  // namespace ablate
