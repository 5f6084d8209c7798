# What belongs to tactus/experiment beyond its sources.

# The bundled experiments become part of the program, so that it finds them wherever it is.
file(GLOB experiment_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.json)
list(SORT experiment_files COMPARE NATURAL)
set(bundled ${PROJECT_BINARY_DIR}/bundled_experiments.cpp)
add_custom_command(
  OUTPUT ${bundled}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${bundled} "-DFILES=${experiment_files}"
          -P ${PROJECT_SOURCE_DIR}/cmake/bundle-experiments.cmake
  DEPENDS ${experiment_files} ${PROJECT_SOURCE_DIR}/cmake/bundle-experiments.cmake
  COMMENT "Bundling the experiments" VERBATIM)
target_sources(tactus_experiment PRIVATE ${bundled})

# Ranks on a cluster: a library of its own, so that the program needs no MPI to start.
get_target_property(sources tactus_experiment SOURCES)
list(FILTER sources EXCLUDE REGEX "/mpi/")
set_property(TARGET tactus_experiment PROPERTY SOURCES ${sources})
option(TACTUS_MPI "Build what speaks MPI where it is found" ON)
if(TACTUS_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  add_library(tactus_mpi MODULE tactus/experiment/mpi/mpi_ranks.cpp)
  target_link_libraries(tactus_mpi PRIVATE MPI::MPI_CXX fmt::fmt)
  target_compile_options(tactus_mpi PRIVATE -Wno-cast-function-type)
endif()
