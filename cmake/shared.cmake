# libtactus.so: every room in one library, from the same objects, for programs in other languages. It
# shows nothing but the C interface of include/tactus/tactus.h.
get_property(rooms GLOBAL PROPERTY TACTUS_ROOMS)
file(GLOB api_sources CONFIGURE_DEPENDS tactus/api/*.cpp)
add_library(tactus_shared SHARED ${api_sources})
foreach(room IN LISTS rooms)
  target_sources(tactus_shared PRIVATE $<TARGET_OBJECTS:tactus_${room}>)
endforeach()
# For the libraries that the rooms need; of the rooms themselves nothing is missing any more.
target_link_libraries(tactus_shared PRIVATE tactus_verbs)
target_compile_definitions(tactus_shared PRIVATE TACTUS_VERSION="${PROJECT_VERSION}")
set(exports ${CMAKE_SOURCE_DIR}/tactus/api/exports.map)
set_target_properties(tactus_shared PROPERTIES OUTPUT_NAME tactus VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR} CXX_VISIBILITY_PRESET hidden
                      LINK_DEPENDS ${exports})
target_link_options(tactus_shared PRIVATE -Wl,--version-script=${exports})
if(NOT TACTUS_SANITIZE)
  target_link_options(tactus_shared PRIVATE -Wl,-z,defs)
endif()
