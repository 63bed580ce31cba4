{ __deck_file=$3 __deck_capture=$4 __deck_env=() __deck_skip=' ';
for __deck_name in "${!__deck_env_@}"; do __deck_env+=("${!__deck_name}"); \builtin unset "$__deck_name"; done;
IFS= LC_ALL=C \builtin read -r -d '' __deck_code < "$2";
\builtin trap '{ \builtin eval "${__deck_capture-}"; } > /dev/null 2>&1' EXIT;
if [[ -n $1 ]]; then \builtin . "$1"; else \builtin set --; fi;
for __deck_name in "${__deck_env[@]}"; do
__deck_skip=$__deck_skip${__deck_name%%=*}' ';
\builtin declare -p "${__deck_name%%=*}" 2> /dev/null >> "$__deck_file";
\builtin export "$__deck_name";
done;
{ \builtin eval "${__deck_last-}"; } 2> /dev/null;
\builtin eval "$__deck_code";
{ __deck_code=$?; \builtin eval "${__deck_capture-}"; __deck_capture=:; } > /dev/null 2>&1;
\builtin exit "$__deck_code"; }
