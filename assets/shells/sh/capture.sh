\unset -f command
\set +o >| "$__deck_file"
\set +aefuvx
case $__deck_posix in x) ;; *) case $__deck_kind in bash) ;; *) \unset -v POSIXLY_CORRECT ;; esac ;; esac
__deck_line='
'
__deck_last= __deck_end=
while IFS=' ' \command read -r __deck_set __deck_flag __deck_name; do
case $__deck_name in
'' | exec | interactive | login | noexec | onecmd | posix | privileged | restricted | shinstdin | singlecommand | stdin | zle) ;;
allexport | errexit | functrace | keyword | nounset | verbose | xtrace) __deck_end="$__deck_end $__deck_flag $__deck_name" ;;
*[!a-z_-]*) __deck_last="$__deck_last\\command $__deck_set $__deck_flag $__deck_name$__deck_line" ;;
*) __deck_last="$__deck_last\\command set $__deck_flag $__deck_name$__deck_line" ;;
esac
done < "$__deck_file"
\trap >| "$__deck_file"
IFS= \command read -r __deck_name < "$__deck_file"
case $__deck_name in "trap -- '{ __deck_status="*) \trap - EXIT ;; esac
case $__deck_end in ?*) __deck_end="\\command set$__deck_end$__deck_line" ;; esac
case $__deck_kind in
bash)
\eval '
__deck_in=${#FUNCNAME[@]}
__deck_traps=
for __deck_name in ERR RETURN DEBUG; do
\command trap -p "$__deck_name" >| "$__deck_file"
IFS= \command read -r -d "" __deck_value < "$__deck_file"
case $__deck_value in ?*) __deck_traps="$__deck_traps\\command $__deck_value" ;; esac
done
\command trap - DEBUG ERR RETURN
\command set +kT
case $__deck_posix in
x) \command declare -p POSIXLY_CORRECT >| "$__deck_file"
IFS= \command read -r -d "" __deck_value < "$__deck_file"
__deck_first="\\command set -o posix$__deck_line\\command $__deck_value" ;;
*) __deck_first="\\command set +o posix$__deck_line" ;;
esac
\command shopt -p >| "$__deck_file"
while IFS=" " \command read -r __deck_set __deck_flag __deck_name; do
case $__deck_posix-:$__deck_shopt: in
x-* | -::) ;;
*:$__deck_name:*) __deck_flag=-s ;;
*) __deck_flag=-u ;;
esac
case $__deck_name-$__deck_shopt in compat*-?*) \continue ;; esac
__deck_first="$__deck_first\\command shopt $__deck_flag $__deck_name$__deck_line"
done < "$__deck_file"
\command shopt -u expand_aliases nocasematch
__deck_last=$__deck_first$__deck_last$__deck_end$__deck_traps
\command declare -F >| "$__deck_file"
__deck_attributes=
while IFS= \command read -r __deck_value; do
case $__deck_value in "declare -f "*) ;; *) __deck_attributes="$__deck_attributes\\command $__deck_value$__deck_line" ;; esac
done < "$__deck_file"
__deck_names=() __deck_unset=()
\command declare -p >| "$__deck_file"
while IFS=" " \command read -r __deck_set __deck_flag __deck_name; do
case $__deck_name in "" | [0-9]* | *[!A-Za-z0-9_]*) \continue ;; esac
case $__deck_set$__deck_flag in declare-*) if \command declare -p "$__deck_name"; then __deck_unset+=("$__deck_name"); fi ;; esac
done < "$__deck_file"
for __deck_name in "${__deck_unset[@]}" "${!_@}" "${!A@}" "${!B@}" "${!C@}" "${!D@}" "${!E@}" "${!F@}" "${!G@}" "${!H@}" "${!I@}" "${!J@}" "${!K@}" "${!L@}" "${!M@}" "${!N@}" "${!O@}" "${!P@}" "${!Q@}" "${!R@}" "${!S@}" "${!T@}" "${!U@}" "${!V@}" "${!W@}" "${!X@}" "${!Y@}" "${!Z@}" "${!a@}" "${!b@}" "${!c@}" "${!d@}" "${!e@}" "${!f@}" "${!g@}" "${!h@}" "${!i@}" "${!j@}" "${!k@}" "${!l@}" "${!m@}" "${!n@}" "${!o@}" "${!p@}" "${!q@}" "${!r@}" "${!s@}" "${!t@}" "${!u@}" "${!v@}" "${!w@}" "${!x@}" "${!y@}" "${!z@}"; do
case $__deck_name in
__deck_*|_|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|BASH_LOADABLES_PATH|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_VERSINFO|BASH_VERSION|BASH_XTRACEFD|COMP_*|COPROC|COPROC_PID|DECK_HOME|DECK_JOB_ID|DECK_PROFILE|DECK_SHELL_ID|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|POSIXLY_CORRECT|PPID|PWD|RANDOM|READLINE_*|SECONDS|SHELLOPTS|SRANDOM|UID) ;;
*) case $__deck_skip in *" $__deck_name "*) ;; *) __deck_names+=("$__deck_name") ;; esac ;;
esac
done
\command printf "functions\0\\\\command unset -v HOME HOSTNAME HOSTTYPE IFS MACHTYPE OLDPWD OPTERR OPTIND OSTYPE PATH PS1 PS2 PS4 SHELL SHLVL TERM\n" >| "$__deck_file"
{ if ((${#__deck_names[@]})); then \command declare -p "${__deck_names[@]}"; fi; \command printf "%s" "$__deck_kept"; \command printf "\\\\eval \"\$__deck_hook\"\n"; } >> "$__deck_file"
\trap >> "$__deck_file"
{ \command printf "\\\\trap - EXIT\n\\\\command umask "; \command umask; } >> "$__deck_file"
for ((__deck_n = ${#DIRSTACK[@]} - 1; __deck_n > 0; __deck_n--)); do \command printf "\\\\command pushd -n %q > /dev/null\n" "${DIRSTACK[__deck_n]}"; done >> "$__deck_file"
if ((__deck_in == 0)); then __deck_args=; if (($#)); then \command printf -v __deck_args " %q" "$@"; fi; fi
{ \command printf "\\\\command shopt -u expand_aliases\n"; \command alias -p; \command printf "\\\\command set +o posix\n\\\\command shopt -s extglob\n"; \command declare -f; \command printf "%s" "$__deck_attributes"; \command printf "\\\\command set -o posix\n__deck_args=%q\n\\\\eval \"\\\\set -- \$__deck_args\"\n__deck_last=%q\n\0" "$__deck_args" "$__deck_last"; } >> "$__deck_file"
{ \command pwd -L; \command printf "\0end\0"; } >> "$__deck_file"
' ;;
*)
__deck_last=$__deck_last$__deck_end
__deck_quote () {
__deck_quoted=
while case $__deck_value in *\'*) ;; *) \break ;; esac; do
__deck_quoted=$__deck_quoted${__deck_value%%\'*}"'\\''"
__deck_value=${__deck_value#*\'}
done
__deck_quoted="'$__deck_quoted$__deck_value'"
}
__deck_args=
for __deck_value do
__deck_quote
__deck_args="$__deck_args $__deck_quoted"
done
\command alias >| "$__deck_file"
__deck_aliases=
while IFS= \command read -r __deck_value; do
__deck_value=${__deck_value#alias }
case $__deck_value in *=*) ;; *) \continue ;; esac
__deck_name=${__deck_value%%=*}
case $__deck_name in
'' | *[\'\"\\\$\`\;\&\|\<\>\(\)\#\ \	]*) ;;
*) __deck_aliases="$__deck_aliases$__deck_name " ;;
esac
done < "$__deck_file"
\command : >| "$__deck_file"
while case $__deck_aliases in '') \break ;; esac; do
__deck_name=${__deck_aliases%% *}
__deck_aliases=${__deck_aliases#* }
if \command alias "$__deck_name" > /dev/null; then
\command printf '\\command alias ' >> "$__deck_file"
\command alias "$__deck_name" >> "$__deck_file"
fi
done
while IFS= \command read -r __deck_value; do
__deck_aliases=$__deck_aliases$__deck_value$__deck_line
done < "$__deck_file"
case $__deck_kind in
ash)
for __deck_name in PWD PPID DECK_HOME DECK_JOB_ID DECK_PROFILE DECK_SHELL_ID; do
case $__deck_skip in *" $__deck_name "*) \continue ;; esac
case $__deck_name in PPID) __deck_set="\\command unset -v PPID && PPID" ;; *) __deck_set="\\command export $__deck_name" ;; esac
__deck_undo="$__deck_undo \\command unset -v $__deck_name;"
__deck_push="$__deck_push \\set -- \"\$@\" \"\${$__deck_name+x}\" \"\${$__deck_name-}\";"
__deck_redo="$__deck_redo case \${$__deck_at} in x) $__deck_set=\"\${$(($__deck_at + 1))}\" ;; esac;"
__deck_at=$(($__deck_at + 2))
done
;;
esac
\set -- "$__deck_file" "$__deck_status" "$__deck_redo" "$__deck_args" "$__deck_last" "$__deck_aliases"
\eval "$__deck_push"
case $__deck_kind in
ash)
\eval "$__deck_undo \\command unset -v LINENO"
\command printf 'variables\0\\command unset -v HOME IFS OLDPWD PATH PS1 PS2 PS4 SHLVL TERM\n' >| "$1"
\unset -v __deck_aliases __deck_args __deck_at __deck_capture __deck_code __deck_do __deck_end __deck_file __deck_flag __deck_kept __deck_kind __deck_last __deck_line __deck_name __deck_posix __deck_push __deck_quoted __deck_redo __deck_set __deck_shopt __deck_skip __deck_status __deck_undo __deck_value
{ \set; \export -p; \readonly -p; } >> "$1"
__deck_kind=ash __deck_status=$2 __deck_args=$4 __deck_last=$5 __deck_aliases=$6
;;
*)
\eval "$__deck_undo"
\set >| "$1"
__deck_names=' '
while IFS= \command read -r __deck_value; do
case $__deck_value in [A-Za-z_]*=*) ;; *) \continue ;; esac
__deck_name=${__deck_value%%=*}
case $__deck_name in
*[!A-Za-z0-9_]* | _ | __deck_* | ARGC | BASH* | COLUMNS | CPUTYPE | DECK_HOME | DECK_JOB_ID | DECK_PROFILE | DECK_SHELL_ID | DIRSTACK | EGID | EPOCHREALTIME | EPOCHSECONDS | ERRNO | EUID | FUNCNAME | FUNCNEST | GID | GROUPS | HISTCMD | HOST | JOB | KSHEGID | KSHGID | KSHUID | KSH_* | LINENO | LINES | MACHTYPE | OSTYPE | PGRP | PIPESTATUS | POSH_VERSION | PPID | PWD | RANDOM | SECONDS | SHELLOPTS | SRANDOM | TRY_BLOCK_* | TTY | TTYIDLE | UID | USERNAME | USER_ID | VENDOR | YASH_VERSION | ZSH_* | aliases | argv | funcstack | functions | options | parameters | pipestatus | signals | status | zsh_*) ;;
*) case $__deck_names in
*" $__deck_name "*) ;;
*) \eval "__deck_set=\${$__deck_name+x}"
case $__deck_set in x) __deck_names="$__deck_names$__deck_name " ;; esac ;;
esac ;;
esac
done < "$1"
__deck_is () {
for __deck_name do
__deck_name=${__deck_name%%=*}
case $__deck_name in
'' | *[!A-Za-z0-9_]* | __deck_*) ;;
*) __deck_value="$__deck_value$__deck_name " ;;
esac
done
}
\command alias export=__deck_is readonly=__deck_is typeset=__deck_is
__deck_value=
\export -p >| "$1"
\. "$1"
__deck_exported=$__deck_value __deck_value=
\readonly -p >| "$1"
\. "$1"
__deck_readonly=$__deck_value
\command unalias export readonly typeset
\command printf 'variables\0\\command unset -v HOME IFS OLDPWD PATH PS1 PS2 PS4 SHELL SHLVL TERM\n' >| "$1"
{
__deck_set=${__deck_names# }
while case $__deck_set in '') \break ;; esac; do
__deck_name=${__deck_set%% *}
__deck_set=${__deck_set#* }
\eval "__deck_value=\$$__deck_name"
__deck_quote
\command printf '%s=%s\n' "$__deck_name" "$__deck_quoted"
done
while case $__deck_exported in '') \break ;; esac; do
__deck_name=${__deck_exported%% *}
__deck_exported=${__deck_exported#* }
case $__deck_name in PWD | DECK_HOME | DECK_JOB_ID | DECK_PROFILE | DECK_SHELL_ID) \continue ;; esac
\command printf '\\command export %s\n' "$__deck_name"
done
while case $__deck_readonly in '') \break ;; esac; do
__deck_name=${__deck_readonly%% *}
__deck_readonly=${__deck_readonly#* }
case $__deck_names in *" $__deck_name "*) \command printf '\\command readonly %s\n' "$__deck_name" ;; esac
done
} >> "$1"
;;
esac
__deck_file=$1
\eval "$3"
\command printf '\\eval "$__deck_hook"\n' >> "$__deck_file"
\trap >> "$__deck_file"
{ \command printf '\\trap - EXIT\n\\command umask '; \command umask; } >> "$__deck_file"
case $__deck_kind in other)
\unset -f __deck_is __deck_quote
\command typeset -f >> "$__deck_file"
;;
esac
{
\command printf '\\set -f\n'
\command printf "%s\\\\set +f\n\\\\set --%s\n__deck_last='%s'\n\0" "$__deck_aliases" "$__deck_args" "$__deck_last"
\command pwd -L
\command printf '\0end\0'
} >> "$__deck_file"
\eval "\\set -- $__deck_args"
;;
esac
