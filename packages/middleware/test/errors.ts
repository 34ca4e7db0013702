import { Unauthenticated } from "@parley/middleware/Authentication"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  Unauthenticated: {
    names: { cause: "does not know who calls", cure: "log in" },
    make: () => new Unauthenticated()
  }
} satisfies Examples
