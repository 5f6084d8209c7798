# `cmake --install build`: the programs, and a package for programs that build on the library
# (docs/inside/library.md). Each file belongs to a component, which is one package of cmake/packages.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(data ${CMAKE_INSTALL_DATADIR}/tactus)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)

# Programs, and what only they load. `tactus` looks for that in ../lib/tactus, also where libraries
# in general are in a folder named after the architecture.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)
install(TARGETS tactus tactusd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tactus_preload tactus_observer LIBRARY DESTINATION lib/tactus)
if(TARGET tactus_cbc)
  install(TARGETS tactus_cbc LIBRARY DESTINATION lib/tactus)
endif()
if(TARGET tactus_mpi)  # for clusters; it brings a hundred packages along
  install(TARGETS tactus_mpi LIBRARY DESTINATION lib/tactus COMPONENT mpi)
endif()

# The C libraries, which need nothing, and the rooms on which programs of others build, with what those need.
set(public_rooms base model host trace methods reserve generate simulate arbiter runtime)
foreach(room IN LISTS public_rooms)
  set_target_properties(tactus_${room} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(tactus_${room} PUBLIC cxx_std_20)
endforeach()
list(TRANSFORM public_rooms PREPEND tactus_ OUTPUT_VARIABLE targets)
set_target_properties(tactus_client PROPERTIES EXPORT_NAME client VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(tactus_shared PROPERTIES EXPORT_NAME tactus)
install(TARGETS tactus_client tactus_shared EXPORT TactusC
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${targets} EXPORT TactusRooms
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The headers that others include (docs/inside/library.md), and what those include.
set(todo tactus/tactus.h tactus/client.h tactus/base/file.hpp tactus/model/reader.hpp tactus/model/writer.hpp
    tactus/methods/method.hpp tactus/methods/promise.hpp tactus/trace/observed.hpp tactus/trace/trace.hpp
    tactus/generate/recipe.hpp tactus/simulate/engine.hpp tactus/simulate/registry.hpp
    tactus/simulate/plugin.hpp tactus/runtime/api.hpp)
set(headers "")
while(todo)
  list(POP_FRONT todo header)
  if(NOT header IN_LIST headers)
    list(APPEND headers ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} includes REGEX "^ *# *include +\"")
    list(TRANSFORM includes REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1")
    list(APPEND todo ${includes})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
  endif()
endwhile()
configure_file(cmake/version.h.in ${PROJECT_BINARY_DIR}/version.h @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tactus COMPONENT dev)

foreach(export TactusC TactusRooms)
  install(EXPORT ${export} NAMESPACE Tactus:: DESTINATION ${package} COMPONENT dev)
endforeach()
configure_package_config_file(cmake/TactusConfig.cmake.in ${PROJECT_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TactusConfig.cmake ${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
        DESTINATION ${package} COMPONENT dev)
# For pkg-config: from its own place to the prefix, so that what was installed may be moved.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(described "tactus|tactus|everything that the program does: the C interface"
        "tactus-client|tactus_client|GPU segments with priorities: the C interface of the Tactus arbiter")
  string(REPLACE "|" ";" described ${described})
  list(GET described 0 pc_name)
  list(GET described 1 pc_library)
  list(GET described 2 pc_description)
  configure_file(cmake/pkg-config.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

# The unit starts the tactusd that is installed with it: `cmake --install` may name another prefix.
install(CODE "file(READ \"${PROJECT_SOURCE_DIR}/tools/systemd/tactusd.service\" unit)
  string(REPLACE /usr/local/bin \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\" unit \"\${unit}\")
  file(WRITE \"${PROJECT_BINARY_DIR}/tactusd.service\" \"\${unit}\")")
install(FILES ${PROJECT_BINARY_DIR}/tactusd.service DESTINATION lib/systemd/system)

# The program itself knows what can be completed, and what a file may hold. (Built for another
# machine, it is run by what runs programs of that one.)
set(runs "")
if(CMAKE_CROSSCOMPILING)
  set(runs ${CMAKE_CROSSCOMPILING_EMULATOR})
  list(JOIN runs "\" \"" runs)
  set(runs "\"${runs}\"")
endif()
set(said "completion bash|tactus.bash" "completion zsh|_tactus" "completion fish|tactus.fish")
foreach(kind system experiment script style plan verdict explanation slack sweep advice
             deployment checkup reservations observed measurement arbiter watched validation question)
  list(APPEND said "schema ${kind}|${kind}.schema.json")
  list(APPEND schemas ${PROJECT_BINARY_DIR}/${kind}.schema.json)
endforeach()
foreach(said ${said})
  string(REPLACE "|" ";" said ${said})
  list(GET said 0 words)
  list(GET said 1 file)
  separate_arguments(words)
  install(CODE "execute_process(COMMAND ${runs} \"$<TARGET_FILE:tactus>\" ${words}
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/tactus.bash RENAME tactus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/_tactus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/tactus.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The man pages say what --help says: `ninja man` writes them into man/ of the build.
set(man ${PROJECT_BINARY_DIR}/man)
add_custom_target(man COMMAND tactus man-pages ${man} COMMAND tactusd --man-pages ${man}
                  COMMENT "Writing the man pages" VERBATIM)
install(CODE "execute_process(COMMAND ${runs} \"$<TARGET_FILE:tactus>\" man-pages \"${man}\"
                              COMMAND_ERROR_IS_FATAL ANY)
              execute_process(COMMAND ${runs} \"$<TARGET_FILE:tactusd>\" --man-pages \"${man}\"
                              COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${schemas} DESTINATION ${data})
install(DIRECTORY examples experiments DESTINATION ${data})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(Python3_FOUND)  # the reference of the Python package, from its docstrings
  set(reference ${PROJECT_BINARY_DIR}/python-reference.md)
  install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/tools/python-reference\"
                                \"${reference}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${reference} DESTINATION ${CMAKE_INSTALL_DOCDIR}/use)
endif()

# The Python package for a Python of the system: the wheel without libraries, which it finds where the
# linker does.
if(HATCHLING)
  set(python_tree ${PROJECT_BINARY_DIR}/python-tree)
  install(CODE "file(REMOVE_RECURSE \"${python_tree}\" \"${python_tree}-wheel\")
                execute_process(COMMAND \"${CMAKE_COMMAND}\" -E env TACTUS_WHEEL=plain
                                \"${HATCHLING}\" build -t wheel -d \"${python_tree}-wheel\"
                                WORKING_DIRECTORY \"${PROJECT_SOURCE_DIR}\" OUTPUT_QUIET
                                COMMAND_ERROR_IS_FATAL ANY)
                file(GLOB wheel \"${python_tree}-wheel/*.whl\")
                file(ARCHIVE_EXTRACT INPUT \"\${wheel}\" DESTINATION \"${python_tree}\")
                file(GLOB info \"${python_tree}/*.dist-info\")
                file(REMOVE \"\${info}/RECORD\" \"\${info}/entry_points.txt\")"
          COMPONENT python EXCLUDE_FROM_ALL)
  install(DIRECTORY ${python_tree}/ DESTINATION lib/python3/dist-packages COMPONENT python
          EXCLUDE_FROM_ALL)
endif()
