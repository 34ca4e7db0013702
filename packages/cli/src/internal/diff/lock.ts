/**
 * `parley lock`: writes a contract as a lock file, or compares it with one.
 */
import * as Lock from "@parley/conform/Lock"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as wholeFile from "../files/wholeFile.ts"
import type * as Asked from "../mcp/dialog/Asked.ts"
import { CommandError, ExitCode, usage } from "../terminal/CommandError.ts"
import { complain, printableLine, write } from "../terminal/output.ts"
import { compare, type Compared } from "./diff.ts"
import * as source from "./source.ts"

/** The arguments and flags of the command. */
export interface Input extends source.Input, Compared {
  readonly contract: string
  readonly out: Option.Option<string>
  readonly check: Option.Option<string>
}

/** Writes the lock, or checks it. */
export const lock = Effect.fnUntraced(function*(
  input: Input
): Effect.fn.Return<void, CommandError, Asked.Environment> {
  if (Option.isSome(input.check)) {
    if (Option.isSome(input.out)) {
      return yield* usage(
        "--check and --out exclude each other",
        "to accept what has changed, write the lock again with --out"
      )
    }
    return yield* compare(input, input.check.value, input.contract)
  }
  const { surface } = yield* source.read(input.contract, input)
  const text = Lock.toText(surface)
  if (Option.isNone(input.out)) return yield* write(text)
  const path = input.out.value
  yield* Effect.tryPromise({
    try: () => wholeFile.replace(path, text),
    catch: (cause) =>
      new CommandError({
        exitCode: ExitCode.output,
        message: `${printableLine(path)} cannot be written: ${describeCause(cause)}`
      })
  })
  yield* complain(`wrote ${printableLine(path)}`)
})
