#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts what was installed in a prefix of its own where Debian's programs look for it:
#
#   arrange.sh ROOT TRIPLET
#
# In ROOT, where the prefix is usr/lib/TRIPLET/bowline, it
#   - links programs from usr/bin, those whose names other MPI libraries have as NAME.bowline;
#   - moves share/ to usr/share and leaves a link. Manual pages and completions of such programs get the same ending.
#     Pages of functions, which the others document too, are of section 3bowline: man finds them by the bare name;
#   - moves the files for pkg-config to that tool's directory, with the prefix written in them;
#   - tells CMake and gdb, in the directories that they search, where their files are.
set -eu
export LC_ALL=C # the order in which files are renamed: mpiexec.1 before mpiexec.bowline.1
root=$1
triplet=$2
prefix=usr/lib/$triplet/bowline
cd -- "$root"

# The name of a program in usr/bin.
public_name() {
  case $1 in
    *.bowline | bowline* | _bowline*) echo "$1" ;;
    *) echo "$1.bowline" ;;
  esac
}

link_programs() {
  mkdir -p usr/bin
  for program in "$prefix"/bin/*; do
    name=${program##*/}
    case $name in
      *.bowline) rm "$program" ;; # the same name in usr/bin leads to the program itself
      *) ln -s "../lib/$triplet/bowline/bin/$name" "usr/bin/$(public_name "$name")" ;;
    esac
  done
}

move_share() {
  mkdir -p usr/share
  cp -a "$prefix/share/." usr/share
  rm -r "$prefix/share"
  ln -s ../../../share "$prefix/share"
}

# publish FOLDER EXTENSION: gives files about programs, and links between them, the names of the programs in usr/bin.
publish() {
  for file in "$1"/*"$2"; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    name=${file##*/}
    new=$(public_name "${name%"$2"}")$2
    if [ -L "$file" ]; then
      target=$(readlink "$file")
      target=$(public_name "${target%"$2"}")$2
      rm "$file"
      [ "$target" = "$new" ] || ln -sf "$target" "$1/$new"
    elif [ "$name" != "$new" ]; then
      mv "$file" "$1/$new"
    fi
  done
}

name_pages() {
  publish usr/share/man/man1 .1
  for page in usr/share/man/man3/*.3; do
    [ -e "$page" ] || continue
    sed -i '1s/^\.so man3\/.*\.3$/&bowline/' "$page"
    mv "$page" "${page}bowline"
  done
}

# Debian's zsh has another directory for them. It reads the first line of all: the names of other MPI libraries'
# programs are not for this one to complete.
name_completions() {
  if [ -d usr/share/zsh/site-functions ]; then
    mv usr/share/zsh/site-functions usr/share/zsh/vendor-completions
    sed -Ei '1{:again s/^(#compdef.*) mpi[^ .]*( |$)/\1\2/; t again}' usr/share/zsh/vendor-completions/_*
    publish usr/share/zsh/vendor-completions ''
  fi
  publish usr/share/bash-completion/completions ''
  publish usr/share/fish/vendor_completions.d .fish
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
  for file in "$prefix"/lib/cmake/*/*Config*.cmake; do
    [ -e "$file" ] || continue
    name=${file#"$prefix"/lib/cmake/}
    mkdir -p "usr/lib/$triplet/cmake/${name%/*}"
    echo "include(/$file)" >"usr/lib/$triplet/cmake/$name"
  done
}

link_programs
move_share
name_pages
name_completions
move_pkgconfig
tell_gdb
tell_cmake

# debian/*.install name these, and a build may leave out what is in them, such as the manual without a recent Python.
mkdir -p usr/share/man/man1 usr/share/man/man3 usr/share/man/man7 usr/share/bash-completion usr/share/fish \
  usr/share/zsh "usr/lib/$triplet/cmake" "$prefix/lib/cmake" "$prefix/lib/bowline/pkgconfig"
