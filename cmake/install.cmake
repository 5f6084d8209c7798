# `cmake --install build`: the programs, and a package for programs that build on the library
# (docs/inside/library.md).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(data ${CMAKE_INSTALL_DATADIR}/tactus)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)
get_property(rooms GLOBAL PROPERTY TACTUS_ROOMS)

# Programs, and what only they load. `tactus` looks for that in ../lib/tactus, also where libraries
# in general are in a folder named after the architecture.
install(TARGETS tactus tactusd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tactus_preload tactus_observer LIBRARY DESTINATION lib/tactus)
foreach(module tactus_mpi tactus_cbc tactus_http)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib/tactus)
  endif()
endforeach()

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
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN cli EXCLUDE PATTERN preload EXCLUDE)

install(EXPORT TactusTargets NAMESPACE Tactus:: DESTINATION ${package})
configure_package_config_file(cmake/TactusConfig.cmake.in ${CMAKE_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TactusConfig.cmake ${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
        DESTINATION ${package})
configure_file(cmake/tactus-client.pc.in ${CMAKE_BINARY_DIR}/tactus-client.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tactus-client.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The unit starts the tactusd that is installed with it.
file(READ tools/systemd/tactusd.service unit)
string(REPLACE /usr/local/bin ${CMAKE_INSTALL_FULL_BINDIR} unit "${unit}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/tactusd.service CONTENT "${unit}" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tactusd.service DESTINATION lib/systemd/system)

# The program itself knows what can be completed, and what a file may hold.
foreach(said "completion bash;tactus.bash" "completion zsh;_tactus" "completion fish;tactus.fish"
             "schema experiment;experiment.schema.json"
             "schema system;system.schema.json" "schema observed;observed.schema.json"
             "schema verdict;verdict.schema.json" "schema explanation;explanation.schema.json"
             "schema slack;slack.schema.json" "schema advice;advice.schema.json"
             "schema plan;plan.schema.json" "schema script;script.schema.json")
  list(GET said 0 words)
  list(GET said 1 file)
  separate_arguments(words)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:tactus>\" ${words}
    OUTPUT_FILE \"${CMAKE_BINARY_DIR}/${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/tactus.bash RENAME tactus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/_tactus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/tactus.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The man pages say what --help says: `ninja man` writes them into man/ of the build.
set(man ${CMAKE_BINARY_DIR}/man)
add_custom_target(man COMMAND tactus man-pages ${man} COMMAND tactusd --man-pages ${man}
                  COMMENT "Writing the man pages" VERBATIM)
install(CODE "execute_process(COMMAND \"$<TARGET_FILE:tactus>\" man-pages \"${man}\"
                              COMMAND_ERROR_IS_FATAL ANY)
              execute_process(COMMAND \"$<TARGET_FILE:tactusd>\" --man-pages \"${man}\"
                              COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${CMAKE_BINARY_DIR}/system.schema.json ${CMAKE_BINARY_DIR}/experiment.schema.json
              ${CMAKE_BINARY_DIR}/observed.schema.json ${CMAKE_BINARY_DIR}/verdict.schema.json
              ${CMAKE_BINARY_DIR}/explanation.schema.json ${CMAKE_BINARY_DIR}/slack.schema.json
              ${CMAKE_BINARY_DIR}/advice.schema.json ${CMAKE_BINARY_DIR}/plan.schema.json
              ${CMAKE_BINARY_DIR}/script.schema.json
        DESTINATION ${data})
install(DIRECTORY examples experiments DESTINATION ${data})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
