/** How long a server may take to begin: a connection is there at once, and a process has to load its program. */
import * as Duration from "effect/Duration"
import type { Target } from "../../Target.ts"
import type { Patience } from "./Line.ts"

/** How long the first answer may take. */
export const startOf = (target: Target, { answer }: Patience): Duration.Duration =>
  target._tag === "Duplex" && target.isProcess ? Duration.max(answer, Duration.seconds(15)) : answer
