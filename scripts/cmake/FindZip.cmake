# libzip (Debian: libzip-dev): Zip::Zip. Its own CMake files fail where its command line tools are not installed.
find_path(ZIP_INCLUDE_DIR zip.h)
find_path(ZIP_CONFIG_INCLUDE_DIR zipconf.h)
find_library(ZIP_LIBRARY NAMES zip libzip)
mark_as_advanced(ZIP_INCLUDE_DIR ZIP_CONFIG_INCLUDE_DIR ZIP_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zip REQUIRED_VARS ZIP_LIBRARY ZIP_INCLUDE_DIR ZIP_CONFIG_INCLUDE_DIR)
if(Zip_FOUND AND NOT TARGET Zip::Zip)
  add_library(Zip::Zip UNKNOWN IMPORTED)
  set_target_properties(Zip::Zip PROPERTIES IMPORTED_LOCATION ${ZIP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES "${ZIP_INCLUDE_DIR};${ZIP_CONFIG_INCLUDE_DIR}")
endif()
