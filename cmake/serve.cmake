# What belongs to tactus/serve beyond its sources.

# The live page (cmake/web.cmake), and the description of the interface, inside the program.
target_sources(tactus_serve PRIVATE ${web_live})
set(openapi ${PROJECT_BINARY_DIR}/openapi.cpp)
set(openapi_source ${PROJECT_SOURCE_DIR}/tactus/serve/openapi.json)
add_custom_command(
  OUTPUT ${openapi}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${openapi} -DFILE=${openapi_source}
          -P ${PROJECT_SOURCE_DIR}/cmake/bundle-openapi.cmake
  DEPENDS ${openapi_source} ${PROJECT_SOURCE_DIR}/cmake/bundle-openapi.cmake
  COMMENT "Bundling the description of the HTTP interface" VERBATIM)
target_sources(tactus_serve PRIVATE ${openapi})

# HTTP: a library of its own, so that the program need not load OpenSSL and the like to start.
option(TACTUS_HTTP "Build what speaks HTTP where cpp-httplib is found" ON)
if(TACTUS_HTTP)
  pkg_check_modules(httplib IMPORTED_TARGET cpp-httplib)
endif()
if(httplib_FOUND)
  file(GLOB http_sources CONFIGURE_DEPENDS tactus/serve/http/*.cpp)
  add_library(tactus_http MODULE ${http_sources})
  target_link_libraries(tactus_http PRIVATE PkgConfig::httplib Threads::Threads)
  set_target_properties(tactus_http PROPERTIES CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
endif()
