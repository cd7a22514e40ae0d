# SPDX-License-Identifier: BSD-3-Clause
# cmake -DBUILD=folder -DSTAGE=folder -P stage.cmake: a fresh installation for the tests. The manifest of the user's own
# installation from this build directory stays, for the target uninstall.
set(manifest ${BUILD}/install_manifest.txt)
set(kept "")
if(EXISTS ${manifest})
  file(READ ${manifest} kept)
endif()
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${manifest} "${kept}")
if(kept STREQUAL "")
  file(REMOVE ${manifest})
endif()
