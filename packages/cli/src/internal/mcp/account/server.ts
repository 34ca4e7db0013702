/**
 * The URL of a server that a person signs in to.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Endpoint from "../../Endpoint.ts"
import { type CommandError, usage } from "../../terminal/CommandError.ts"

/** The URL of a server over HTTP; only those have accounts. */
export const fromText = (text: string): Effect.Effect<URL, CommandError> => {
  const endpoint = Result.getOrUndefined(Endpoint.fromText(text))
  return endpoint?._tag === "Http"
    ? Effect.succeed(new URL(endpoint.url))
    : Effect.fail(
      usage(
        `${JSON.stringify(Endpoint.withoutSecrets(text))} is not a URL of http or https`,
        "only servers over HTTP have accounts to sign in to"
      )
    )
}

/** The URL without its query, as messages show it. */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`
