# Runs inside cpack, between installing into a folder per component and making the packages: adds what
# Debian asks of every package (copyright, changelog, compressed man pages, overrides of lintian), the same
# from any folder and at any time: dates are SOURCE_DATE_EPOCH.
file(REAL_PATH ${CPACK_TEMPORARY_INSTALL_DIRECTORY} staged)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where it is set

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${staged}/${component})
  set(doc ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${CPACK_TACTUS_PACKAGING}/copyright ${doc}/copyright)
  file(WRITE ${doc}/changelog "tactus (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; /usr/share/doc/tactus/CHANGELOG.md.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${doc}/changelog)
  if(EXISTS ${CPACK_TACTUS_PACKAGING}/${package}/lintian-overrides)
    file(MAKE_DIRECTORY ${root}/usr/share/lintian/overrides)
    file(COPY_FILE ${CPACK_TACTUS_PACKAGING}/${package}/lintian-overrides
         ${root}/usr/share/lintian/overrides/${package})
  endif()
endforeach()

set(programs ${staged}/programs/usr/share)
file(REMOVE ${programs}/doc/tactus/LICENSE)  # Debian has it in one place for all
if(EXISTS ${programs}/doc/tactus/CHANGELOG.md)
  compress(${programs}/doc/tactus/CHANGELOG.md)
endif()
file(GLOB pages ${programs}/man/man*/*)
foreach(page IN LISTS pages)
  compress(${page})
endforeach()

# Files and folders as everybody may read them, whatever the umask was.
execute_process(COMMAND chmod -R u+rwX,go+rX,go-w ${staged} COMMAND_ERROR_IS_FATAL ANY)
