# SPDX-License-Identifier: BSD-3-Clause
# Reads beginnings of command lines, and prints for each the line and what bash offers behind it: by the function that
# the script in the folder $1 declares for the command. An offer is the whole word, as it would stand in the line.
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  source "$1/${COMP_LINE%% *}"
  function=$(complete -p "${COMP_LINE%% *}") || exit
  function=${function#*-F }
  COMPREPLY=()
  "${function%% *}"
  # The shell replaces what is behind the last = or : of the word.
  word=${COMP_LINE##* }
  before=${word%"${word##*[=:]}"}
  echo "line $COMP_LINE"
  ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]/#/"$before"}"
done
