#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts what was installed in a prefix of its own where Debian's programs look for it:
#
#   arrange.sh ROOT TRIPLET
#
# In ROOT, where the prefix is usr/lib/TRIPLET/bowline, it
#   - links programs from usr/bin, those whose names other MPI libraries have as NAME.bowline;
#   - moves share/ to usr/share and leaves a link; manual pages of such names get the same ending, and those of
#     functions, which other MPI libraries document too, are of section 3bowline;
#   - moves the files for pkg-config to that tool's directory, with the prefix written in them;
#   - tells CMake and gdb, from the directories that they search, where their files are.
set -eu
root=$1
triplet=$2
prefix=usr/lib/$triplet/bowline
cd -- "$root"

# The name in usr/bin, or of a page about it.
public_name() {
  case $1 in
    *.bowline | bowline*) echo "$1" ;;
    *) echo "$1.bowline" ;;
  esac
}

link_programs() {
  mkdir -p usr/bin
  for program in "$prefix"/bin/*; do
    ln -sf "../lib/$triplet/bowline/bin/${program##*/}" "usr/bin/$(public_name "${program##*/}")"
  done
}

# rename_pages SECTION EXTENSION: a page that another includes or links to is renamed with it.
move_share() {
  mkdir -p usr/share
  cp -a "$prefix/share/." usr/share
  rm -r "$prefix/share"
  ln -s ../../../share "$prefix/share"
}

name_pages() {
  for page in usr/share/man/man[1-8]/*.[1-8]; do
    [ -e "$page" ] || [ -L "$page" ] || continue
    name=${page##*/}
    section=${name##*.}
    mv_to=$(public_name "${name%.*}").$section
    [ "$section" != 3 ] || mv_to=$name'bowline'
    if [ -L "$page" ]; then
      target=$(readlink "$page")
      base=${target%.*}
      [ "$section" = 3 ] && target=${target}bowline || target=$(public_name "${base##*/}").$section
      rm "$page"
      ln -s "$target" "${page%/*}/$mv_to"
    else
      [ "$section" != 3 ] || sed -i -e '1,/^\.TH/s/^\(\.TH  *[^ ]* *\)"\{0,1\}3"\{0,1\}/\13bowline/' \
        -e '1s/^\.so \(man3\/.*\.3\)$/.so \1bowline/' "$page"
      [ "$page" = "${page%/*}/$mv_to" ] || mv "$page" "${page%/*}/$mv_to"
    fi
  done
}

move_pkgconfig() {
  mkdir -p "usr/lib/$triplet/pkgconfig"
  for file in "$prefix"/lib/pkgconfig/mpi-bowline*.pc; do
    sed -i "s|^prefix=.*|prefix=/$prefix|" "$file"
    mv "$file" "usr/lib/$triplet/pkgconfig"
  done
  rmdir "$prefix/lib/pkgconfig"
}

tell_gdb() {
  folder=usr/share/gdb/auto-load/$prefix/lib
  mkdir -p "$folder"
  for script in "$prefix"/lib/*-gdb.py; do
    rm "$script"
    ln -s "/$prefix/lib/bowline/gdb_commands.py" "$folder/${script##*/}"
  done
}

tell_cmake() {
  [ -d "$prefix/lib/cmake" ] || return 0
  for file in "$prefix"/lib/cmake/*/*[Cc]onfig*.cmake; do
    folder=${file#"$prefix"/lib/cmake/}
    mkdir -p "usr/lib/$triplet/cmake/${folder%/*}"
    echo "include(/$file)" >"usr/lib/$triplet/cmake/$folder"
  done
}

link_programs
move_share
name_pages
move_pkgconfig
tell_gdb
tell_cmake
