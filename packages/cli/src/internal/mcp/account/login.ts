/**
 * `parley mcp login`: a person signs in at a server, in a browser.
 */
import * as Account from "@parley/oauth/Account"
import type { AuthorizationRequest } from "@parley/oauth/Grant"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as duration from "../../arguments/duration.ts"
import { type CommandError, line } from "../../terminal/CommandError.ts"
import { complain, print, printableLine, printableUrl } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import { explain } from "../failures.ts"
import * as Loopback from "./Loopback.ts"
import * as server from "./server.ts"
import * as tokens from "./tokens.ts"

/** The words of the command line. */
export interface Input extends Connection.Input {
  readonly clientId: Option.Option<string>
  readonly scope: ReadonlyArray<string>
  /** How long to wait for the person. */
  readonly patience: string
}

/** Uses the server until it is content: only with a request shows what it wants. */
export const login = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.scoped(Effect.gen(function*() {
    const url = yield* server.fromText(input.endpoint)
    const place = server.nameOf(url)
    const patience = yield* duration.fromFlag(input.patience)
    const { answerTo, redirectUri } = yield* Loopback.open
    const authorize = ({ issuer, url: page }: AuthorizationRequest) =>
      Effect.andThen(
        complain(
          `To sign in at ${printableLine(issuer)}, open this page in a browser on this machine:\n${printableUrl(page)}`
        ),
        Effect.timeoutOrElse(answerTo(page), {
          duration: patience,
          orElse: () => Effect.fail(line(`nobody signed in within ${Duration.format(patience)}`))
        })
      )
    const client = Option.map(input.clientId, (clientId) => ({ clientId }))
    const auth = tokens.authorization(
      { redirectUri, authorize, client: Option.getOrUndefined(client) },
      // A token that is stored has other scopes, and the server may be content with it.
      input.scope.length === 0 ? {} : { scopes: input.scope, store: Account.anew(tokens.store(), url) }
    )
    yield* Connection.run(
      { ...input, auth },
      ({ client, options, wait }) =>
        client.capabilities?.tools === undefined ? Effect.void : wait(client.listTools(options))
    )
    const account = yield* Effect.mapError(
      Account.get(tokens.store(), url),
      (error) => explain(error, input.endpoint)
    )
    yield* print(
      account === undefined
        ? `${place} asks nobody to sign in.`
        : `Signed in to ${place} at ${printableLine(account.issuer)}.`
    )
  }))
