#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints substitution variables with packages that debhelper does not find out by itself.
#
#   needed_packages.sh loaded           those whose libraries Bowline opens when it runs, of which the linker does not
#                                       know: the sources name each as a SharedLibrary. The start of jobs and the places
#                                       of ranks need theirs, and a network its own.
#   needed_packages.sh fortran PREFIX   the compiler that reads the modules below PREFIX
set -eu

package_of() {
  dpkg-query --search "$1" | sed -n '1s/:.*//p'
}

loaded() {
  depends= recommends=
  for file in $(grep -rhoE '^[^/]*\.file = "lib[^"]+"' src launcher | sed 's/.*"\(.*\)"/\1/' | sort -u); do
    package=$(package_of "$file")
    [ -n "$package" ] || { echo "needed_packages.sh: no installed package has $file" >&2; exit 1; }
    case $file in
      libpmix.* | libhwloc.*) depends="$depends$package, " ;;
      *) recommends="$recommends$package, " ;;
    esac
  done
  echo "bowline:Loaded-Depends=$depends"
  echo "bowline:Loaded-Recommends=$recommends"
}

fortran() {
  module=$(echo "$1"/lib/bowline/fortran/*/mpi.mod)
  version=$(gzip -dc "$module" | sed -n "1s/^GFORTRAN module version '\([0-9]*\)'.*/\1/p")
  [ -n "$version" ] || { echo "needed_packages.sh: $module does not say its version" >&2; exit 1; }
  echo "bowline:Fortran-Depends=gfortran-$(gfortran -dumpversion) | gfortran-mod-$version"
}

"$@"
