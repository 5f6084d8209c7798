# What belongs to tactus/serve beyond its sources.

# The live page (cmake/web.cmake), inside the program.
target_sources(tactus_serve PRIVATE ${web_live})

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
