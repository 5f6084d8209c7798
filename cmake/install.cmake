# `cmake --install build`: the programs, and a package for programs that build on the library
# (docs/inside/library.md). Each file belongs to a component, which is one package of cmake/packages.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(data ${CMAKE_INSTALL_DATADIR}/tactus)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)
get_property(rooms GLOBAL PROPERTY TACTUS_ROOMS)

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

# The library: one target per room, the C interface of the arbiter, and that of everything.
foreach(room IN LISTS rooms)
  set_target_properties(tactus_${room} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(tactus_${room} PUBLIC cxx_std_20)
  list(APPEND targets tactus_${room})
endforeach()
set_target_properties(tactus_client PROPERTIES EXPORT_NAME client VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(tactus_shared PROPERTIES EXPORT_NAME tactus)
install(TARGETS ${targets} tactus_client tactus_shared EXPORT TactusTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(DIRECTORY tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN cli EXCLUDE
        PATTERN api EXCLUDE PATTERN serve EXCLUDE)

install(EXPORT TactusTargets NAMESPACE Tactus:: DESTINATION ${package} COMPONENT dev)
configure_package_config_file(cmake/TactusConfig.cmake.in ${PROJECT_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TactusConfig.cmake ${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
        DESTINATION ${package} COMPONENT dev)
# From its own place to the prefix, so that what was installed may be moved.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tactus-client.pc.in ${PROJECT_BINARY_DIR}/tactus-client.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tactus-client.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

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
             reservations observed measurement arbiter validation question)
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
