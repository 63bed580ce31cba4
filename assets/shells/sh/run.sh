{ __deck_file=$3 __deck_capture=$4 __deck_code=$2 __deck_kind=ash __deck_args= __deck_last= __deck_undo= __deck_redo= __deck_push= __deck_kept= __deck_skip=' ' __deck_at=7;
\unset -f command;
case ${ZSH_VERSION-}${KSH_VERSION-}${YASH_VERSION-}${POSH_VERSION-} in '') ;; *) __deck_kind=other ;; esac;
case ${BASH_VERSION-} in '') ;; *) if \command -v shopt > /dev/null 2>&1; then __deck_kind=bash; fi ;; esac;
__deck_hook='__deck_n=0;
__deck_is () { for __deck_was do case $__deck_was in "$__deck_name" | "$__deck_name"=*) __deck_yes=x ;; esac; done; };
while \:; do
case $__deck_n in ?) __deck_name=__deck_env_000$__deck_n ;; ??) __deck_name=__deck_env_00$__deck_n ;; ???) __deck_name=__deck_env_0$__deck_n ;; *) __deck_name=__deck_env_$__deck_n ;; esac;
\eval "__deck_pair=\${$__deck_name-}";
case $__deck_pair in "") \break ;; esac;
\unset -v "$__deck_name";
__deck_name=${__deck_pair%%=*};
case $__deck_name in
"" | [0-9]* | *[!A-Za-z0-9_]*) ;;
*) case $__deck_skip in
*" $__deck_name "*) ;;
*) __deck_skip="$__deck_skip$__deck_name ";
case $__deck_kind in
bash) \command declare -p "$__deck_name" 2> /dev/null >| "$__deck_file" || \:;
IFS= \command read -r -d "" __deck_was < "$__deck_file" || \:;
__deck_kept=$__deck_kept$__deck_was ;;
*) __deck_yes=;
\export -p >| "$__deck_file";
\command alias export=__deck_is typeset=__deck_is;
\. "$__deck_file";
\command unalias export typeset;
\eval "__deck_was=\${$__deck_name+x} __deck_old_$__deck_n=\${$__deck_name-}";
case $__deck_was-$__deck_yes in
x-x) __deck_was="\\command export $__deck_name=\"\$__deck_old_$__deck_n\"" ;;
x-) __deck_was="\\command unset -v $__deck_name && $__deck_name=\$__deck_old_$__deck_n" ;;
-x) __deck_was="\\command unset -v $__deck_name && \\command export $__deck_name" ;;
*) __deck_was="\\command unset -v $__deck_name" ;;
esac;
__deck_undo="$__deck_was; \\unset -v __deck_old_$__deck_n; $__deck_undo";
__deck_push="$__deck_push \\set -- \"\$@\" \"\${$__deck_name+x}\" \"\${$__deck_name-}\";";
__deck_redo="$__deck_redo \\command unset -v $__deck_name; case \${$__deck_at} in x) \\command export $__deck_name=\"\${$(($__deck_at + 1))}\" ;; esac;";
__deck_at=$(($__deck_at + 2)) ;;
esac ;;
esac ;;
esac;
\command export "$__deck_pair" || \:;
__deck_n=$(($__deck_n + 1));
done;
\unset -f __deck_is;
\unset -v __deck_pair __deck_yes __deck_was __deck_name __deck_n';
case $__deck_kind in bash) IFS= LC_ALL=C \command read -r -d '' __deck_text < "$__deck_code" || \: ;; esac;
case $1 in '') \eval "$__deck_hook"; \set -- ;; *) \. "$1" ;; esac;
\unset -v __deck_hook;
\trap '{ __deck_status=$? __deck_posix=${POSIXLY_CORRECT+x} __deck_shopt=${BASHOPTS-} __deck_do=${__deck_capture-} __deck_capture=; __deck_name=${POSIXLY_CORRECT=y}; \eval "$__deck_do"; } > /dev/null 2>&1' EXIT;
case $__deck_kind in
bash) { \eval "$__deck_last"; } 2> /dev/null;
\command eval "$__deck_text" ;;
*) { \eval "$__deck_last"; } 2> /dev/null;
\. "$__deck_code" ;;
esac;
{ __deck_status=$? __deck_posix=${POSIXLY_CORRECT+x} __deck_shopt=${BASHOPTS-} __deck_do=${__deck_capture-} __deck_capture=; __deck_name=${POSIXLY_CORRECT=y}; \eval "$__deck_do"; } > /dev/null 2>&1;
\exit "$__deck_status"; }
