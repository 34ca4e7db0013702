# Reads JSON texts, one a line, as jq does, and says what it sees of the envelope of each message. It refuses some halves
# of surrogate pairs: then it sees nothing.
def kind:
  if has("method") and (has("result") or has("error") | not)
  then if has("id") then "request" else "notification" end
  else "response" end;
try (fromjson | [(if type == "array" then .[] else . end) | {kind: kind, id, method: (.method // "" | explode)}])
catch if contains("surrogate") then null else error end
