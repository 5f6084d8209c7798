# The pages of `tactus report` and `tactus serve`: TypeScript of web/, bundled at build time and compiled into the program.
# Without npm (or where it cannot install), the program says so when it is asked for a page.
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
set(web_folder ${PROJECT_BINARY_DIR}/web)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*
     ${PROJECT_SOURCE_DIR}/web/test/* ${PROJECT_SOURCE_DIR}/web/tools/*)
set(web_page ${web_folder}/page.cpp)
set(web_live ${web_folder}/live.cpp)
add_custom_command(
  OUTPUT ${web_page} ${web_live}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/web -DFOLDER=${web_folder}
          "-DNPM=${NPM}" "-DNODE=${NODE}" -DTOOLS=${TACTUS_TESTS}
          -P ${PROJECT_SOURCE_DIR}/cmake/build-web.cmake
  DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/web/package-lock.json
          ${PROJECT_SOURCE_DIR}/web/tools/build.mjs ${PROJECT_SOURCE_DIR}/cmake/build-web.cmake
  COMMENT "Bundling the pages of `tactus report` and `tactus serve`" VERBATIM)
target_sources(tactus_report PRIVATE ${web_page})
