/**
 * `parley diff`: reads two contracts, compares them, and shows the changes.
 */
import * as ContractDiff from "@parley/conform/ContractDiff"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFile } from "node:fs/promises"
import * as report from "../conform/report.ts"
import type * as Asked from "../mcp/dialog/Asked.ts"
import { CommandError, ExitCode, usage } from "../terminal/CommandError.ts"
import { printableLine, write } from "../terminal/output.ts"
import * as source from "./source.ts"

/** The flags of a comparison. */
export interface Compared extends report.Input {
  readonly traffic: Option.Option<string>
  readonly strict: boolean
  readonly changelog: boolean
}

/** The arguments and flags of the command. */
export interface Input extends source.Input, Compared {
  readonly before: string
  readonly after: string
}

/** Compares, and ends with what that comes to. */
export const diff = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  compare(input, input.before, input.after)

/** Compares what two texts name. */
export const compare = Effect.fnUntraced(function*(
  input: source.Input & Compared,
  old: string,
  now: string
): Effect.fn.Return<void, CommandError, Asked.Environment> {
  yield* report.files(input)
  const recording = yield* linesOf(input.traffic)
  const before = yield* source.read(old, input)
  const after = yield* source.read(now, input)
  const found = ContractDiff.compare(before.surface, after.surface, {
    before: before.name,
    after: after.name,
    isStrict: input.strict,
    recording
  })
  if (input.changelog) yield* write(ContractDiff.changelog(found))
  else yield* report.write(input, (format, options) => ContractDiff.render(found, format, options))
  const verdict = ContractDiff.verdictOf(found)
  if (verdict === "compatible") return
  return yield* new CommandError({
    exitCode: verdict === "breaking" ? ExitCode.remote : ExitCode.undecided,
    message: `${after.name}: ${ContractDiff.summaryOf(found)}`
  })
})

const linesOf = (file: Option.Option<string>): Effect.Effect<ReadonlyArray<string> | undefined, CommandError> =>
  Option.isNone(file) ? Effect.undefined : Effect.tryPromise({
    try: async () => (await readFile(file.value, "utf8")).split("\n").filter((line) => line !== ""),
    catch: (cause) =>
      usage(
        `${printableLine(file.value)} cannot be read: ${describeCause(cause)}`,
        "--traffic takes a recording of parley tap --record"
      )
  })
