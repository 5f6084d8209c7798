# Makes FOLDER/page.cpp and FOLDER/live.cpp from SOURCE (web/), with NPM and NODE; TOOLS: also install what tests need.
# Nothing is written into the source tree. A failure is no failure of the build: the program then says
# what is missing.
function(absent why)
  message(STATUS "tactus report and tactus serve will not work: ${why}")
  file(WRITE ${FOLDER}/page.cpp
       "#include \"tactus/report/html/page_template.hpp\"\n\nnamespace tactus::report {\n\n"
       "std::string_view page_template() { return {}; }\n"
       "std::string_view why_no_page() { return R\"_why_(${why})_why_\"; }\n\n"
       "}  // namespace tactus::report\n")
  file(WRITE ${FOLDER}/live.cpp
       "#include \"tactus/serve/assets.hpp\"\n\nnamespace tactus::serve {\n\n"
       "std::string_view live_page() { return {}; }\n"
       "std::string_view live_script() { return {}; }\n"
       "std::string_view live_style() { return {}; }\n\n"
       "}  // namespace tactus::serve\n")
endfunction()

if(NOT NPM OR NOT NODE)
  absent("npm was not found when it was built (Debian: apt install nodejs npm; then build again)")
  return()
endif()

# One build at a time: two would install into one folder, and each takes away what the other reads.
file(LOCK ${FOLDER} DIRECTORY GUARD PROCESS)

# What was installed, and for whom: the same again needs no network.
file(SHA256 ${SOURCE}/package-lock.json wanted)
string(APPEND wanted " ${TOOLS}")
set(stamp ${FOLDER}/installed)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
file(REMOVE_RECURSE ${FOLDER}/src ${FOLDER}/test ${FOLDER}/tools)
file(GLOB files ${SOURCE}/* ${SOURCE}/.npmrc ${SOURCE}/.prettierrc.json ${SOURCE}/.prettierignore)
list(FILTER files EXCLUDE REGEX "/(node_modules|dist|built-tests)$")
file(COPY ${files} DESTINATION ${FOLDER})
if(NOT installed STREQUAL wanted)
  set(only --omit=dev)
  if(TOOLS)
    set(only "")
  endif()
  file(REMOVE ${stamp})  # an installation that is broken off has no stamp, and is begun again
  execute_process(COMMAND ${NPM} ci ${only} --no-progress WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE code OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log)
  if(NOT code EQUAL 0)
    absent("npm could not install what the page is built with (${FOLDER}/npm.log); mend that, remove ${FOLDER} and build again")
    return()
  endif()
  file(WRITE ${stamp} "${wanted}")
endif()
execute_process(COMMAND ${NODE} tools/build.mjs . WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  file(REMOVE ${stamp})  # if what is installed is to blame, the next build installs it again
  message(FATAL_ERROR "the page of `tactus report` could not be bundled")  # our own mistake
endif()
