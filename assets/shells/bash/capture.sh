\builtin printf '\0' >> "$__deck_file"
\builtin trap -p >> "$__deck_file"
\builtin trap - DEBUG ERR RETURN
\builtin printf '\0' >> "$__deck_file"
\builtin set +o >> "$__deck_file"
\builtin printf '\0' >> "$__deck_file"
\builtin shopt -p >> "$__deck_file"
\builtin printf '\0' >> "$__deck_file"
\builtin alias -p >> "$__deck_file"
\builtin printf '\0' >> "$__deck_file"
\builtin declare -p POSIXLY_CORRECT >> "$__deck_file" || \builtin :
\builtin printf '\0' >> "$__deck_file"
\builtin declare -p IFS >> "$__deck_file" || \builtin :
IFS=$' \t\n'
\builtin set +aefkuvxT
\builtin set +o posix
\builtin shopt -u expand_aliases nocasematch
__deck_in=${#FUNCNAME[@]}
__deck_names=()
for __deck_name in "${!_@}" "${!A@}" "${!B@}" "${!C@}" "${!D@}" "${!E@}" "${!F@}" "${!G@}" "${!H@}" "${!I@}" "${!J@}" "${!K@}" "${!L@}" "${!M@}" "${!N@}" "${!O@}" "${!P@}" "${!Q@}" "${!R@}" "${!S@}" "${!T@}" "${!U@}" "${!V@}" "${!W@}" "${!X@}" "${!Y@}" "${!Z@}" "${!a@}" "${!b@}" "${!c@}" "${!d@}" "${!e@}" "${!f@}" "${!g@}" "${!h@}" "${!i@}" "${!j@}" "${!k@}" "${!l@}" "${!m@}" "${!n@}" "${!o@}" "${!p@}" "${!q@}" "${!r@}" "${!s@}" "${!t@}" "${!u@}" "${!v@}" "${!w@}" "${!x@}" "${!y@}" "${!z@}"; do
case $__deck_name in
__deck_*|_|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|BASH_LOADABLES_PATH|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_VERSINFO|BASH_VERSION|BASH_XTRACEFD|COMP_*|COPROC|COPROC_PID|DECK_HOME|DECK_JOB_ID|DECK_PROFILE|DECK_SHELL_ID|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|IFS|LINENO|PIPESTATUS|POSIXLY_CORRECT|PPID|PWD|RANDOM|READLINE_*|SECONDS|SHELLOPTS|SRANDOM|UID) ;;
*) case $__deck_skip in *" $__deck_name "*) ;; *) __deck_names+=("$__deck_name") ;; esac ;;
esac
done
{ \builtin printf '\0'; if ((${#__deck_names[@]})); then \builtin declare -p "${__deck_names[@]}"; fi; } >> "$__deck_file"
{ \builtin printf '\0'; \builtin declare -f; \builtin printf '\0'; \builtin declare -F; \builtin printf '\0'; \builtin umask -p; } >> "$__deck_file"
{ \builtin printf '\0'; for ((__deck_name = ${#DIRSTACK[@]} - 1; __deck_name > 0; __deck_name--)); do \builtin printf '\\builtin pushd -n %q > /dev/null\n' "${DIRSTACK[__deck_name]}"; done; } >> "$__deck_file"
{ \builtin printf '\0'; if ((__deck_in == 0)); then \builtin printf '\\builtin set --'; if (($#)); then \builtin printf ' %q' "$@"; fi; \builtin printf '\n'; fi; } >> "$__deck_file"
{ \builtin printf '\0'; \builtin pwd; \builtin printf '\0end\0'; } >> "$__deck_file"
