# The pages of `tactus report` and `tactus serve` (web/): types, lint, format, unit tests, finished pages
# in a browser, and the server, with requests of every kind and in a browser.
# Where npm is missing they are skipped, and say so.
foreach(step types lint format unit pages live)
  add_test(NAME web_${step} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/web_step.sh ${PROJECT_BINARY_DIR}/web ${step})
  set_tests_properties(web_${step} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS whole ENVIRONMENT
    "TACTUS=$<TARGET_FILE:tactus>;EXAMPLES=${PROJECT_SOURCE_DIR}/examples")
endforeach()
set_tests_properties(web_unit web_pages web_live PROPERTIES RESOURCE_LOCK web)  # they bundle into one folder
