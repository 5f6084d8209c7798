# `cpack --config build-package/CPackConfig.cmake`: Debian packages, one per component of
# cmake/install.cmake (docs/use/install.md; tools/release makes everything of a release). What Debian asks
# of a package beyond its files is added by packaging/deb/finish.cmake.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tactus)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Tactus authors")
set(TACTUS_MAINTAINER "The Tactus authors <authors@tactus.invalid>" CACHE STRING
    "Who answers for the packages: Name <address>")
set(CPACK_PACKAGE_CONTACT ${TACTUS_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1)  # the packages are the same whatever the machine has
set(CPACK_COMPONENTS_ALL programs library dev)
if(TARGET tactus_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
if(HATCHLING)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/deb/finish.cmake)
set(CPACK_TACTUS_PACKAGING ${PROJECT_SOURCE_DIR}/packaging/deb)  # for that script

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()

# NAME of the component, the package, its section, and what it is, in one line and in several.
function(tactus_package component name section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

tactus_package(programs tactus science "deadlines for work on a GPU: proved, planned and run"
"Tactus takes one description of a system (platform, tasks, kernels, deadlines)
and proves whether every deadline holds, plans what must be done so that they
hold, simulates it, and runs it on a GPU or on an emulator. Its arbiter,
tactusd, gives the programs of a machine preemptive priorities on the GPU.
.
A GPU is not needed; where there is one, its driver library is loaded when it
is asked for.")
tactus_package(library libtactus0 libs "deadlines for work on a GPU: shared libraries"
"The questions of Tactus (check, analyze, plan, simulate, run) as one library
with a C interface, and the library with which programs mark their GPU
segments for the arbiter tactusd.")
tactus_package(dev libtactus-dev libdevel "deadlines for work on a GPU: development files"
"Headers, static libraries and the CMake package of Tactus, for programs that
ask its questions in C++ or C, run kernels of their own under its plans, or
mark their GPU segments for the arbiter.")
tactus_package(mpi tactus-mpi science "deadlines for work on a GPU: experiments on clusters"
"With this, the command \"tactus lab reproduce\" runs experiments on MPI ranks.")
tactus_package(python python3-tactus python "deadlines for work on a GPU: Python package"
"Systems built in code, every question of Tactus with answers as objects and
tables, PyTorch networks that run with deadlines, and GPU segments for programs
under the arbiter.")

set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "python3-tactus, tactus-mpi, gnuplot-nox, babeltrace2")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_EXTRA ${CPACK_TACTUS_PACKAGING}/tactus/postinst
    ${CPACK_TACTUS_PACKAGING}/tactus/prerm ${CPACK_TACTUS_PACKAGING}/tactus/postrm)
# What packages of programs that link the libraries depend on.
file(WRITE ${PROJECT_BINARY_DIR}/deb/shlibs "libtactus ${PROJECT_VERSION_MAJOR} libtactus0 (>= ${PROJECT_VERSION})
libtactus_client ${PROJECT_VERSION_MAJOR} libtactus0 (>= ${PROJECT_VERSION})
")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CPACK_TACTUS_PACKAGING}/libtactus0/triggers
    ${PROJECT_BINARY_DIR}/deb/shlibs)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)  # no programs in it, but links to libraries
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtactus0 ${same}, libfmt-dev, libgmp-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tactus ${same}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3:any, libtactus0 ${same}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-torch, python3-tqdm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CPACK_TACTUS_PACKAGING}/python3-tactus/postinst
    ${CPACK_TACTUS_PACKAGING}/python3-tactus/prerm)
include(CPack)
