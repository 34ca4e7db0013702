/**
 * `parley mcp dev`: a server that is started again when its files change, for clients that stay.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as spelled from "../../../arguments/spelled.ts"
import { type CommandError, usage } from "../../../terminal/CommandError.ts"
import * as wire from "../../../wire/Wire.ts"
import type * as Bridge from "../Bridge.ts"
import { serve } from "../connect.ts"
import * as Narrator from "../Narrator.ts"
import * as files from "./files.ts"
import * as folders from "./folders.ts"
import * as Generations from "./Generations.ts"
import { OwnFiles } from "./OwnFiles.ts"

/** The arguments and flags of the command. */
export interface Input {
  readonly command: ReadonlyArray<string>
  readonly watch: ReadonlyArray<string>
  readonly listen: string
}

/** Serves until the input ends or a signal comes. */
export const dev = (input: Input): Effect.Effect<void, CommandError> => serve(input.listen, () => behind(input))

const behind = Effect.fnUntraced(
  function*({ command, watch }: Input): Effect.fn.Return<Bridge.Behind, CommandError, Scope.Scope> {
    const { endpoint, ...there } = yield* wire.fromInput(
      {
        endpoint: yield* spelled.endpoint(command),
        framing: "line",
        header: { typed: [], file: [], env: [] },
        ca: Option.none()
      },
      "--framing"
    )
    if (endpoint._tag !== "Command") {
      return yield* usage(`${there.name} is not a command`, "dev starts the server itself, as in `-- node server.js`")
    }
    const narrator = Narrator.make("[dev]", "[server]")
    const paths = watch.length > 0 ? watch.map((path) => resolve(path)) : folders.of(endpoint)
    const missing = paths.find((path) => !existsSync(path))
    if (missing !== undefined) return yield* usage(`there is no ${missing}`, "--watch needs a file or a folder")
    const changes = yield* Queue.sliding<string>(1)
    const own = new OwnFiles()
    const unwatched = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(unwatched), narrator.say)))
    const onUnwatched = (folder: string, why: string) =>
      void Queue.offerUnsafe(unwatched, `${folder} is not watched: ${why}. Name fewer folders with --watch`)
    yield* Effect.forkScoped(
      Stream.runForEach(files.changes(paths, { onUnwatched }), (file) =>
        Effect.gen(function*() {
          yield* Queue.offer(changes, file)
          if (!own.mayWrite(yield* Clock.currentTimeMillis)) return
          yield* narrator.say(
            `files change after each start, the last one is ${file}: if the server writes it, name its sources with --watch`
          )
        }))
    )
    yield* narrator.say(`watching ${paths.join(", ")}`)
    return yield* Generations.make({ wire: { ...there, endpoint }, narrator, changed: Queue.take(changes) })
  }
)
