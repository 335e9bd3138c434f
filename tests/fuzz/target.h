#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::fuzz {

/// A reader of files written by others, and what the program does next with the contents.
struct target {
  std::string name;
  void (*read)(const std::filesystem::path& file);
  std::string file_name;  ///< readers of point files go by its extension
};

/// Every target of this program, by name.
std::vector<target> targets();

/// Registers a target before main: one line at the end of its file.
struct registered {
  registered(const char* name, void (*read)(const std::filesystem::path&), const char* file_name = "input");
};

enum class outcome { read, refused };

/// Gives the target a file of these bytes. It may read them, or refuse them with a bad_input that begins
/// with the file's name, within 2 s of CPU time. Anything else is a finding and leaves as an exception: the
/// reader's own, or a std::logic_error for a refusal that does not name the file, or for taking too long.
outcome feed(const target&, std::string_view bytes);

/// A file or folder that a reader also needs, from the tree: tests/fuzz/seeds/<name>.
std::filesystem::path seed(const std::string& name);

}  // namespace ablate::fuzz
