/**
 * `parley mcp logout`: forgets the tokens for a server.
 */
import * as Account from "@parley/oauth/Account"
import * as Effect from "effect/Effect"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print } from "../../terminal/output.ts"
import { explain } from "../failures.ts"
import * as server from "./server.ts"
import * as tokens from "./tokens.ts"

/** The words of the command line. */
export interface Input {
  readonly endpoint: string
}

export const logout = ({ endpoint }: Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(server.fromText(endpoint), (url) =>
    Effect.flatMap(
      Effect.mapError(Account.remove(tokens.store(), url), (error) => explain(error, endpoint)),
      (wasThere) => print(`${wasThere ? "Signed out of" : "Nobody was signed in to"} ${server.nameOf(url)}.`)
    ))
