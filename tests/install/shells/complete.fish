# SPDX-License-Identifier: BSD-3-Clause
# Reads beginnings of command lines, and prints for each the line and what fish offers behind it. The argument is the
# folder of the scripts.
set fish_complete_path $argv[1] $fish_complete_path
while read --local line
    echo line $line
    complete -C $line | string replace --regex '\t.*' ''
end
