string(LENGTH "${ABLATE_COMMIT}" ablate_commit_digits)
if(NOT ABLATE_COMMIT MATCHES "^[0-9a-f]*$" OR NOT ablate_commit_digits MATCHES "^(0|40)$")
  # CMake breaks the lines of a message unless it begins with a space.
  message(FATAL_ERROR " ABLATE_COMMIT is '${ABLATE_COMMIT}': expected the 40 hexadecimal digits of a commit")
endif()

# ablate_add_library_facts(library): gives `library` the definition of ablate::library_build().
# The step runs in every build, since a commit or an edited file does not pass through CMake, and rewrites the
# generated source only when a fact changed.
function(ablate_add_library_facts library)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/build_facts.cpp)
  set(scripts ${PROJECT_SOURCE_DIR}/scripts/cmake)
  string(REPLACE ";" "," architectures "${CMAKE_CUDA_ARCHITECTURES}")
  add_custom_target(ablate_write_build_facts
    COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -D OUT=${generated} -D VERSION=${PROJECT_VERSION}
            -D GIVEN_COMMIT=${ABLATE_COMMIT} -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            -D CUDA_COMPILER=${CMAKE_CUDA_COMPILER_VERSION} -D CUDA_ARCHITECTURES=${architectures}
            -D BUILD_TYPE=${CMAKE_BUILD_TYPE} -P ${scripts}/write_build_facts.cmake
    BYPRODUCTS ${generated}
    COMMENT "Asking git for the commit, hashing the sources"
    VERBATIM)
  add_library(ablate_build_facts OBJECT ${generated})
  add_dependencies(ablate_build_facts ablate_write_build_facts)
  target_link_libraries(ablate_build_facts PRIVATE ablate_options)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:ablate_build_facts>)
endfunction()

# ablate_name_data(program folder): where the interface library `program` finds reports/ and suites/, unless they are
# beside it as installed.
function(ablate_name_data program folder)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/data_directory.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "#include \"base/process/data_directory.h\"

namespace {

[[maybe_unused]] const bool named = ablate::process::name_data_directory(\"@folder@\");

}  // namespace
")
  add_library(ablate_named_data OBJECT ${generated})
  target_link_libraries(ablate_named_data PRIVATE ablate_options)
  target_sources(${program} INTERFACE $<TARGET_OBJECTS:ablate_named_data>)
endfunction()
