# cmake -D ROOT=… -D OUT=… -D PROGRAM=… … -P write_program_facts.cmake: the build facts of a program outside of Ablate's tree,
# see program.cmake. ROOT may be a folder inside of its repository.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/ask_git.cmake)

set(commit "${GIVEN_COMMIT}")
set(dirty false)
# A commit that is given is believed, as Ablate's own. An untracked folder inside of somebody's repository must not take
# that repository's commit.
if(commit STREQUAL "")
  ask_git(tracked is_tracked ls-files --error-unmatch CMakeLists.txt)
  if(is_tracked)
    ask_commit(.)
  endif()
endif()

# All sources below ROOT, except hidden folders and those that contain a build. As in source_hash.cmake, the hash is the SHA-256
# of the lines "<SHA-256 of the file>  <path>", sorted by path as bytes.
set(patterns)
foreach(extension c cc cpp cxx cu h hh hpp hxx cuh inl cmake in)
  list(APPEND patterns ${ROOT}/*.${extension})
endforeach()
file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE ${ROOT} ${patterns} ${ROOT}/CMakeLists.txt)
file(GLOB_RECURSE builds LIST_DIRECTORIES FALSE RELATIVE ${ROOT} ${ROOT}/CMakeCache.txt)
list(FILTER files EXCLUDE REGEX "(^|/)[.]")
foreach(cache IN LISTS builds)
  get_filename_component(folder ${cache} DIRECTORY)
  string(LENGTH "${folder}/" length)
  foreach(path IN LISTS files)
    string(SUBSTRING "${path}" 0 ${length} beginning)
    if(beginning STREQUAL "${folder}/")
      list(REMOVE_ITEM files ${path})
    endif()
  endforeach()
endforeach()
list(SORT files COMPARE STRING)
set(lines "")
foreach(path IN LISTS files)
  file(SHA256 ${ROOT}/${path} hash)
  string(APPEND lines "${hash}  ${path}\n")
endforeach()
string(SHA256 source_hash "${lines}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/program_facts.cpp.in ${OUT} @ONLY)
