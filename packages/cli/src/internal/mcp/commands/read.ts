/**
 * `parley mcp read`: the content of a resource.
 */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print, write } from "../../terminal/output.ts"
import * as Connection from "../Connection.ts"
import * as content from "../content.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as Target from "../files/Target.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly uri: string
  readonly out: Option.Option<string>
}

/** Reads, and prints the text; in a pipe, the bytes as they are. With `--out`, all of it goes to files. */
export const read = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Effect.flatMap(Target.fromFlag(input.out), (target) => readTo(input, target))

const readTo = (
  input: Input,
  target: Target.Target | undefined
): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, options, wait }) =>
    Effect.gen(function*() {
      const result = yield* wait(client.readResource(input.uri, options))
      if (input.json) yield* Connection.printJson(result)
      const attachments = result.contents.map(Target.ofContents)
      if (target !== undefined) return yield* Target.write(target, attachments)
      if (input.json) return
      if (process.stdout.isTTY) {
        for (const each of result.contents) yield* print(content.contents(each))
        return
      }
      for (const bytes of yield* Target.bytesOf(attachments)) yield* write(bytes)
    }))
