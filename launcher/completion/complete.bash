# SPDX-License-Identifier: BSD-3-Clause
# Completion of Bowline's commands for bash, made from the options that they declare. Each of these scripts contains
# the same functions, because a shell loads only the script of the command that it completes.

# Sets COMPREPLY to what may stand for $2. $1 is the kind of the value; "list" if commas may separate several; the words.
_bowline_value() {
  local -a value
  read -ra value <<<"$1"
  local current=$2 before=
  if [[ ${value[1]} == list && $current == *,* ]]; then
    before=${current%,*},
    current=${current##*,}
  fi
  case ${value[0]} in
    words) mapfile -t COMPREPLY < <(compgen -P "$before" -W "${value[*]:2}" -- "$current") ;;
    variable) mapfile -t COMPREPLY < <(compgen -P "$before" -A export -- "$current") ;;
    host) mapfile -t COMPREPLY < <(compgen -P "$before" -A hostname -- "$current") ;;
    process) mapfile -t COMPREPLY < <(compgen -W "$(pgrep '^mpi(exec|run)' 2>/dev/null)" -- "$current") ;;
    file) _bowline_files -f "$current" ;;
    directory) _bowline_files -d "$current" ;;
    program)
      if [[ $current == */* || $current == .* ]]; then
        _bowline_files -f "$current"
      else
        mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u)
      fi
      ;;
    *) COMPREPLY=() ;;
  esac
}

# Sets COMPREPLY to files (-f) or directories (-d) that begin with $2.
_bowline_files() {
  compopt -o filenames 2>/dev/null # fails where no completion is under way
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# Prints what comes behind the words $2 ...: the option whose value it is, "arguments" of a program, "skipped" for a value
# of which nothing is known, and nothing before the program.
_bowline_before() {
  local -n values=$1_values skipped=$1_skipped runs=$1_runs
  shift 1
  local state="" word
  while (($#)); do
    word=$1
    shift
    if [[ $runs && $word == : ]]; then
      state=
    elif [[ $state == arguments || $word == -*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      if [[ ${values[$word]-} || ${values[-$word]-} ]]; then
        [[ ${values[$word]-} ]] || word=-$word
        if (($#)); then shift; else state=$word; fi
      elif [[ ${skipped[$word]-} ]]; then
        (($# >= skipped[$word])) || state=skipped
        shift $((skipped[$word] < $# ? skipped[$word] : $#))
      fi
    elif [[ $runs ]]; then
      state=arguments
    fi
  done
  echo "$state"
}

# Takes off what stands before the last = or : of the word, because the shell replaces only what is behind it.
_bowline_trim() {
  local current=$1 behind
  behind=$current
  [[ $COMP_WORDBREAKS != *=* ]] || behind=${behind##*=}
  [[ $COMP_WORDBREAKS != *:* ]] || behind=${behind##*:}
  local before=${current%"$behind"}
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

# $1: the prefix of the arrays of a command.
_bowline_complete() {
  local -n options=$1_options values=$1_values argument=$1_argument
  local -a words
  local line=${COMP_LINE:0:COMP_POINT}
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  local current=${words[-1]} state
  state=$(_bowline_before "$1" "${words[@]:1:${#words[@]}-2}")
  COMPREPLY=()
  if [[ $state == arguments ]]; then
    _bowline_files -f "$current"
  elif [[ $state == -* && $current != -* ]]; then # a value may be missing
    _bowline_value "${values[$state]}" "$current"
  elif [[ $state == skipped ]]; then
    return 0
  elif [[ $current == -*=* ]]; then
    local name=${current%%=*}
    _bowline_value "${values[$name]-${values[-$name]-}}" "${current#*=}"
    COMPREPLY=("${COMPREPLY[@]/#/"$name="}")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$current")
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
  else
    _bowline_value "$argument" "$current"
  fi
  _bowline_trim "$current"
}
