#!/bin/bash
# Made-up conversations on stdout, as a pool for route-build: make-pool.sh [ROWS [SEED]] (2200, 1). They have what real pools have: none to
# 60 messages, two of one role in a row, empty and null texts, other roles, profiles that stand twice, several languages.
# The same arguments give the same rows.
set -euo pipefail
for number in "${1:-2200}" "${2:-1}"; do
  [[ $number =~ ^[0-9]{1,9}$ ]] || { echo "usage: make-pool.sh [ROWS [SEED]]" >&2; exit 3; }
done
LC_ALL=C awk -v rows="${1:-2200}" -v seed="${2:-1}" '
  # Lehmer generator (Park and Miller), exact in doubles: every awk gives the same numbers.
  function below(n) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * n) }
  # `count` words; in one language.
  function talk(count, tongue,    text) {
    text = word[tongue, below(words[tongue])]
    for (count--; count > 0; count--) text = text " " word[tongue, below(words[tongue])]
    return text
  }
  function learn(tongue, text,    parts, i) {
    words[tongue] = split(text, parts, " ")
    for (i = 1; i <= words[tongue]; i++) word[tongue, i - 1] = parts[i]
  }
  # A name for each number.
  function name(number,    text) {
    do { text = syllable[number % 20 + 1] text; number = int(number / 20) } while (number > 0)
    return toupper(substr(text, 1, 1)) substr(text, 2)
  }
  function history(turns, tongue, wordy,    text, i, user, content) {
    user = below(2)
    for (i = 0; i < turns; i++) {
      content = "\"" talk(wordy ? 20 + below(70) : 2 + below(20), tongue) (below(9) == 0 ? ", \\\"" talk(2, tongue) "\\\"\\n" : "") "\""
      if (below(40) == 0) content = below(2) ? "null" : "\"\""
      text = text (i ? "," : "") "{\"role\":\"" (below(60) == 0 ? "narrator" : user ? "user" : "assistant") "\",\"content\":" content "}"
      if (below(8)) user = !user
    }
    return text
  }
  BEGIN {
    state = seed % 2147483646 + 1
    below(1)
    split("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu", syllable, " ")
    learn("en", "the old harbour light went out again and nobody came back with bread or news so we walked home along the river while rain fell on every roof you never told me that story before")
    learn("de", "der alte Hafen liegt im Nebel und niemand kommt zurück wir gehen über die Brücke nach Hause während es regnet erzähl mir noch einmal diese schöne Geschichte")
    learn("fr", "le vieux port est dans la brume et personne ne revient nous rentrons à pied près de la rivière raconte encore cette drôle histoire déjà oubliée")
    learn("ja", "港 は 霧 の 中 です 誰 も 帰って こない 私たち は 川 沿い を 歩いて 帰る その 話 を もう 一度")
    learn("zh", "老 港口 在 雾 里 没有 人 回来 我们 沿着 河 走 回家 请 再 讲 一遍 那个 故事")
    learn("ar", "الميناء القديم في الضباب ولم يعد أحد نمشي إلى البيت على ضفة النهر احك لي القصة مرة أخرى")
    tags = split("en en en-US en English de fr ja zh ar", tag, " ")
    for (row = 0; row < rows; row++) {
      language = tag[1 + below(tags)]
      tongue = substr(language, 1, 2) == "En" ? "en" : substr(language, 1, 2)
      if (row % 97 != 96) profile = name(row + 400) " of the " talk(30 + below(60), "en")
      turns = below(2) ? below(30) : below(61)
      printf "{\"id\":\"talk-%05d\",\"personality\":\"%s\",\"scenario\":%s,\"welcome\":\"%s\",\"history\":[%s],\"suggestions\":[%s],\"language\":%s,\"conv_create_at\":%d}\n",
        row, profile, below(4) ? "\"" talk(5 + below(25), tongue) "\"" : below(2) ? "\"\"" : "null", talk(4 + below(12), tongue),
        history(turns, tongue, below(2)), (below(5) ? "\"" talk(3 + below(6), tongue) "\",\"" talk(4, tongue) "\"" : below(2) ? "null,\"\"" : ""),
        below(25) ? "\"" language "\"" : "null", 1755000000 + below(2592000)
    }
  }'
