# SPDX-License-Identifier: BSD-3-Clause
# Reads beginnings of command lines, and prints for each the line and what zsh offers behind it. $1 is the folder of the
# functions. An interactive zsh completes in a pseudo-terminal, as for a user; there `compadd`, in which all completions
# end, prints its matches between two signs.
zmodload zsh/zpty
export SCRIPTS=$1
zpty shell zsh -f -i
zpty -w shell "PS1= ; stty -onlcr; fpath=(\$SCRIPTS \$fpath); autoload -Uz compinit; compinit -u -D
compadd() {
  local -a matches
  if [[ \${@[1,(i)(-|--)]} != *-[OAD]* ]]; then
    builtin compadd -O matches \"\$@\"
    ((\$#matches == 0)) || print -rn -- \"<\"\${(j.><.)matches}\">\"
  fi
  builtin compadd \"\$@\"
}
complete-silently() { _main_complete; compstate[list]= ; compstate[insert]= }
zle -C complete-silently list-choices complete-silently
offer() { zle complete-silently; zle kill-buffer; print -r -- the end }
zle -N offer
bindkey '^X' offer
print -r -- it is \"\"ready"
zpty -r shell said '*it is ready*'
while IFS= read -r line; do
  zpty -n -w shell "$line"$'\C-x'
  zpty -r shell said '*the end*'
  print -r -- "line $line"
  print -r -- "$said" | grep -o '<[^<>]*>' | sed 's/[<>]//g' | sort -u
done
zpty -d shell
