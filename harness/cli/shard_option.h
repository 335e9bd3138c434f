#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/suite/shards.h"

namespace ablate {

/// The value of a variable of the environment; nothing where it is not set.
using environment_lookup = std::function<std::optional<std::string>(const char* name)>;

/// Of `--shard`: "2/8", or "auto", which asks Slurm, PBS, LSF, Kubernetes or GitLab, or "auto/8" where these
/// tell the index alone or were given a part of an array. Throws bad_input.
shard_place shard_of(const std::string& text, const environment_lookup&);

/// The same in this process' environment.
shard_place shard_of(const std::string& text);

}  // namespace ablate
