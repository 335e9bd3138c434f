#pragma once

#include <filesystem>

namespace ablate::process {

/// The folder that holds reports/ and suites/, from which reports are drawn and default policies are read:
/// ../share/ablate as seen from this program's file, if it is there, else the folder that was named; empty if
/// none was.
std::filesystem::path data_directory();

/// Called before main by a source file that the build makes: the source tree, or the prefix that the program
/// was built from.
bool name_data_directory(const char* folder);

}  // namespace ablate::process
