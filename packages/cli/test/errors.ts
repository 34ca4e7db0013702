import type { Examples } from "../../../tools/errors/Example.ts"
import { ArgumentError } from "../src/internal/arguments/grammar/ArgumentError.ts"
import { line } from "../src/internal/terminal/CommandError.ts"

export default {
  ArgumentError: {
    names: { name: "minuend", word: "\"23\"" },
    make: () => new ArgumentError({ reason: { _tag: "Mixed", named: "minuend", word: "23" } })
  },
  CommandError: {
    names: { endpoint: "tcp://127.0.0.1:4000", cause: "ECONNREFUSED" },
    make: () => line("tcp://127.0.0.1:4000 could not be opened: connect ECONNREFUSED 127.0.0.1:4000")
  }
} satisfies Examples
