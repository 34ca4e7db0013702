/**
 * `parley mcp whoami`: which tokens there are for a server, without the tokens.
 */
import * as Account from "@parley/oauth/Account"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { CommandError, ExitCode, withHint } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import { explain } from "../failures.ts"
import * as server from "./server.ts"
import * as tokens from "./tokens.ts"

/** The words of the command line. */
export interface Input {
  readonly endpoint: string
  readonly json: boolean
}

export const whoami = ({ endpoint, json }: Input): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const url = yield* server.fromText(endpoint)
    const place = server.nameOf(url)
    const account = yield* Effect.mapError(Account.get(tokens.store(), url), (error) => explain(error, endpoint))
    if (account === undefined) {
      return yield* new CommandError({
        exitCode: ExitCode.remote,
        message: withHint(`nobody is signed in to ${place}`, `run \`parley mcp login ${place}\``)
      })
    }
    const { clientId, expires, isRefreshable, issuer, scopes } = account
    const ends = expires === undefined ? undefined : DateTime.formatIso(DateTime.makeUnsafe(expires))
    if (json) {
      return yield* Connection.printJson({ server: place, issuer, clientId, scopes, expires: ends, isRefreshable })
    }
    yield* print([
      `Server  ${place}`,
      `Issuer  ${printableLine(issuer)}`,
      `Client  ${printableLine(clientId)}`,
      `Scopes  ${scopes.length === 0 ? "none named" : printableLine(scopes.join(" "))}`,
      `Token   ${ends === undefined ? "its end is not known" : `good until ${ends}`}${
        isRefreshable ? ", and then renewed" : ""
      }`
    ].join("\n"))
  })
