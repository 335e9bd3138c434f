# ablate_embed_text(target file symbol): compiles the text file into `target` as `ablate::<symbol>`, a const char*.
function(ablate_embed_text target file symbol)
  get_filename_component(path ${file} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "namespace ablate {

extern const char* const @symbol@;
const char* const @symbol@ = R\"embedded(@text@)embedded\";

}  // namespace ablate
")
  target_sources(${target} PRIVATE ${generated})
endfunction()
