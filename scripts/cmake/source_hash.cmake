# The hash of the sources that make the program, with or without git:
#   cmake -D ROOT=<tree> -P scripts/cmake/source_hash.cmake
# prints it. It is the SHA-256 of the lines "<SHA-256 of the file>  <path>", sorted by path as bytes: what
# `LC_ALL=C sort` and `sha256sum` make of the same files. A record is checked against it (scripts/check_records.sh).
cmake_minimum_required(VERSION 3.25)

set(ablate_source_paths CMakeLists.txt base kernels oracles variants harness reports scripts/cmake)
set(ablate_source_extensions h cpp cu cuh cmake txt json in sh)

function(ablate_source_hash root out)
  set(files)
  foreach(path IN LISTS ablate_source_paths)
    if(path STREQUAL "base" AND NOT EXISTS ${root}/${path})
      continue()  # trees of older records have none
    endif()
    if(NOT EXISTS ${root}/${path})
      message(FATAL_ERROR "${root} is no tree of Ablate's sources: it has no ${path}")
    endif()
    if(IS_DIRECTORY ${root}/${path})
      list(TRANSFORM ablate_source_extensions PREPEND ${root}/${path}/*. OUTPUT_VARIABLE patterns)
      file(GLOB_RECURSE found LIST_DIRECTORIES FALSE RELATIVE ${root} ${patterns})
      list(APPEND files ${found})
    else()
      list(APPEND files ${path})
    endif()
  endforeach()
  # Of reports/, only C++ is in the program: the npm files and the schema beside it are not.
  list(FILTER files EXCLUDE REGEX "^reports/(.*/)?node_modules/|^reports/.*[.](json|txt|cmake|in|sh)$")
  list(SORT files COMPARE STRING)
  set(lines "")
  foreach(path IN LISTS files)
    file(SHA256 ${root}/${path} hash)
    string(APPEND lines "${hash}  ${path}\n")
  endforeach()
  string(SHA256 hash "${lines}")
  set(${out} ${hash} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(NOT DEFINED ROOT)
    message(FATAL_ERROR "expected -D ROOT=<tree>")
  endif()
  get_filename_component(root ${ROOT} ABSOLUTE)
  ablate_source_hash(${root} hash)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${hash})
endif()
