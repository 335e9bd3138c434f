# The package: libraries, headers, CMake functions, report data and, if it is built, the program. Every path in it is relative
# to the prefix, which may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ablate)
set(data_folder ${CMAKE_INSTALL_DATADIR}/ablate)

foreach(library reports harness main builtin headers)
  set_target_properties(ablate_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
install(TARGETS ablate_reports ablate_harness ablate_main ablate_builtin ablate_headers EXPORT ablateTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ablateTargets NAMESPACE ablate:: DESTINATION ${package_folder})
install(DIRECTORY ${ablate_public_include}/ablate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ablate)

# Vega is not in the tree: what scripts/setup.sh installed, where it did, as far as drawing needs it.
file(GLOB report_files CONFIGURE_DEPENDS reports/*.mjs reports/package.json reports/package-lock.json)
install(FILES ${report_files} DESTINATION ${data_folder}/reports)
install(DIRECTORY reports/page/html DESTINATION ${data_folder}/reports/page)
install(FILES base/record/old_names.json DESTINATION ${data_folder}/base/record)  # what reports/python/ reads
install(DIRECTORY reports/python reports/schema DESTINATION ${data_folder}/reports PATTERN "__pycache__" EXCLUDE)
get_filename_component(modules reports/node_modules REALPATH)  # often a link, and not always there
install(DIRECTORY ${modules}/ DESTINATION ${data_folder}/reports/node_modules OPTIONAL)
install(DIRECTORY suites DESTINATION ${data_folder} FILES_MATCHING PATTERN "*.json")

string(REGEX REPLACE "[.].*" "" compiler_major ${CMAKE_CXX_COMPILER_VERSION})
string(REGEX REPLACE "[.].*" "" cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")
configure_package_config_file(scripts/cmake/ablateConfig.cmake.in ${PROJECT_BINARY_DIR}/ablateConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS data_folder NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break what is public.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ablateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ablateConfig.cmake ${PROJECT_BINARY_DIR}/ablateConfigVersion.cmake
              scripts/cmake/program.cmake scripts/cmake/program_facts.cpp.in scripts/cmake/write_program_facts.cmake
              scripts/cmake/ask_git.cmake scripts/cmake/kernel_facts.cmake scripts/cmake/write_kernel_resources.cmake
              scripts/cmake/keep_ptxas_report.sh scripts/cmake/cuda_toolkit.cmake
              scripts/cmake/FindLZF.cmake scripts/cmake/FindZip.cmake
        DESTINATION ${package_folder})
