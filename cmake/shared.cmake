# libtactus.so: every room in one library, from the same objects, for programs in other languages. It
# shows nothing but the C interface of tactus/tactus.h.
get_property(rooms GLOBAL PROPERTY TACTUS_ROOMS)
add_library(tactus_shared SHARED)
add_library(Tactus::tactus ALIAS tactus_shared)
target_include_directories(tactus_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
foreach(room IN LISTS rooms)
  target_sources(tactus_shared PRIVATE $<TARGET_OBJECTS:tactus_${room}>)
endforeach()
# For the libraries that the rooms need; of the rooms themselves nothing is missing any more.
target_link_libraries(tactus_shared PRIVATE tactus_verbs)
set(exports ${PROJECT_SOURCE_DIR}/tactus/api/exports.map)
set_target_properties(tactus_shared PROPERTIES OUTPUT_NAME tactus VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR} CXX_VISIBILITY_PRESET hidden
                      LINK_DEPENDS ${exports})
# In a wheel the libraries that it needs lie beside it. Nothing is added to that path, as CMake does to
# have room for another one: an empty entry of it would mean the folder that somebody is in.
set_target_properties(tactus_shared PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
target_link_options(tactus_shared PRIVATE -Wl,--version-script=${exports})
if(NOT TACTUS_SANITIZE)
  target_link_options(tactus_shared PRIVATE -Wl,-z,defs)
endif()

find_package(Python3 3.9 COMPONENTS Interpreter)
# The Python package with libraries and programs inside, for every Python from 3.9 on (docs/use/python.md).
find_program(HATCHLING hatchling)
if(HATCHLING)
  add_custom_target(wheel COMMAND ${CMAKE_COMMAND} -E env TACTUS_BUILD=${PROJECT_BINARY_DIR}
                    ${HATCHLING} build -t wheel -d ${PROJECT_BINARY_DIR}/wheel
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()
