/**
 * `parley mcp read`: the content of a resource.
 */
import * as Content from "@parley/mcp/payload/Content"
import * as Effect from "effect/Effect"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print, write } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import * as content from "../content.ts"
import type * as Asked from "../dialog/Asked.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly uri: string
}

/** Reads, and prints the text; in a pipe, the bytes as they are. */
export const read = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const result = yield* wait(client.readResource(input.uri, options))
      if (input.json) return yield* Connection.printJson(result)
      for (const resource of result.contents) {
        yield* process.stdout.isTTY ? print(content.contents(resource)) : write(bytesOf(resource))
      }
    }))

const bytesOf = (resource: Content.ResourceContents): string | Uint8Array =>
  Content.isText(resource) ? resource.text : Buffer.from(resource.blob, "base64")
