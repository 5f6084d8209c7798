# Finds out whether CUDA kernels can be built here, without ever failing: sets TACTUS_HAVE_CUDA.
# A missing, broken or old nvcc, or a toolkit without the static runtime, only leaves the GPU backend
# out.
include(CheckLanguage)

set(TACTUS_HAVE_CUDA FALSE)
option(TACTUS_CUDA "Build the CUDA backend where a CUDA 13 toolkit is found" ON)

if(TACTUS_CUDA)
  if(DEFINED ENV{CUDACXX})
    set(TACTUS_NVCC $ENV{CUDACXX})
  else()
    find_program(TACTUS_NVCC nvcc PATHS /usr/local/cuda/bin /usr/lib/cuda/bin /opt/cuda/bin)
  endif()
  # Its version first: a compiler that does not know the architectures below would be an error.
  set(nvcc_says "")
  if(TACTUS_NVCC)
    execute_process(COMMAND ${TACTUS_NVCC} --version OUTPUT_VARIABLE nvcc_says ERROR_QUIET)
  endif()
  if(nvcc_says MATCHES "release ([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 13)
    set(ENV{CUDACXX} ${TACTUS_NVCC})
    # Machine code for Hopper, and portable code that other drivers compile on first use.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
    endif()
    if(NOT CMAKE_CUDA_HOST_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
    endif()
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc 13 has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit QUIET)
    if(TARGET CUDA::cudart_static)
      set(TACTUS_HAVE_CUDA TRUE)
    endif()
  endif()
endif()

if(TACTUS_HAVE_CUDA)
  message(STATUS "CUDA ${CUDAToolkit_VERSION}: the GPU backend is built")
else()
  message(STATUS "No CUDA 13 toolkit: built without the GPU backend")
endif()
