# cmake -D ROOT=… -D OUT=… -D VERSION=… … -P write_build_facts.cmake: see build_facts.cmake.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/source_hash.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ask_git.cmake)

set(commit "${GIVEN_COMMIT}")
set(dirty false)
# A commit that is given is believed: the hash of the sources tells whether they are that commit's. Sources unpacked
# inside of another repository must not take that repository's commit: the prefix is not empty there.
if(commit STREQUAL "")
  ask_git(prefix answered rev-parse --show-prefix)
  if(answered AND prefix STREQUAL "")
    ask_commit(${ablate_source_paths})
  endif()
endif()

ablate_source_hash(${ROOT} source_hash)
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_facts.cpp.in ${OUT} @ONLY)
