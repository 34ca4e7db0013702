/**
 * The server that a person signs in at: its URL, as the command line says it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Endpoint from "../../../Endpoint.ts"
import { type CommandError, usage } from "../../terminal/CommandError.ts"

/** The URL of a server over HTTP; others have nobody to sign in. */
export const fromText = (text: string): Effect.Effect<URL, CommandError> => {
  const endpoint = Result.getOrUndefined(Endpoint.fromText(text))
  return endpoint?._tag === "Http"
    ? Effect.succeed(new URL(endpoint.url))
    : Effect.fail(
      usage(
        `${JSON.stringify(Endpoint.withoutSecrets(text))} is no URL of http or https`,
        "only servers over HTTP let people sign in"
      )
    )
}

/** The URL without its query, as people are shown it. */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`
