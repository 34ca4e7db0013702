import type { Examples } from "../../../tools/errors/Example.ts"
import { line } from "../src/internal/terminal/CommandError.ts"

export default {
  CommandError: {
    names: { endpoint: "tcp://127.0.0.1:4000", cause: "ECONNREFUSED" },
    make: () => line("tcp://127.0.0.1:4000 could not be opened: connect ECONNREFUSED 127.0.0.1:4000")
  }
} satisfies Examples
