# Finds constants of the type Int in SIL that 32 bits can't hold. Above 2^53 are Int.max and what the compiler computed from it.
/^\/\/ / && !/^\/\/ Isolation/ { title = substr($0, 4) }
/^sil / { split("", wide); name = title }
/= integer_literal \$Builtin.Int64, / {
    size = $5 < 0 ? -$5 : $5 + 0
    if (size > 2147483647 && size < 2 ^ 53) wide[$1] = $5
}
match($0, /= struct \$U?Int \(%[0-9]+/) {
    id = substr($0, RSTART, RLENGTH)
    sub(/.*\(/, "", id)
    if (id in wide) { print "error: " wide[id] " is no Int of 32 bits, in " name; found = 1 }
}
END { exit found }
