# SPDX-License-Identifier: BSD-3-Clause
# A part of the installation that install() has no words for.

# bowline_install_link(NAME TARGET FOLDER)
#
# Installs a symbolic link to TARGET as FOLDER/NAME. Like all files it obeys DESTDIR and is in the install manifest.
function(bowline_install_link name target folder)
  set(link ${CMAKE_CURRENT_BINARY_DIR}/links/${name})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/links)
  file(CREATE_LINK ${target} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${folder})
endfunction()
