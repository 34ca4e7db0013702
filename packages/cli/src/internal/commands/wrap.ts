/**
 * `parley tap --wrap` and `--unwrap`: puts a tap before the servers of a host's configuration, and takes it away again.
 */
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { existsSync, realpathSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import * as wholeFile from "../files/wholeFile.ts"
import * as Mark from "../tap/configuration/Mark.ts"
import type { Outcome } from "../tap/configuration/Servers.ts"
import * as unwrapping from "../tap/configuration/unwrap.ts"
import * as wrapping from "../tap/configuration/wrap.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { complain, print, printableLine } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"

export interface Input {
  readonly file: string
  /** The names of servers; none for all. */
  readonly servers: ReadonlyArray<string>
}

/** Puts a tap before the servers. A server that has one keeps it. */
export const wrap = (input: Input): Effect.Effect<void, CommandError> => {
  const recordingOf = (server: string) => recordingBeside(input.file, server)
  const program = programOf(process.execPath, realpathSync(process.argv[1] ?? ""))
  return change(input, {
    edit: (text) => wrapping.wrap(text, input.servers, { program, recordingOf }),
    idle: wrapping.already,
    told: (server) => `${server}: its messages are added to ${recordingOf(server)}`
  })
}

/** Takes the taps away, and says which recordings stay. A server without a tap stays as it is. */
export const unwrap = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.suspend(() => {
    let recordings: unwrapping.Unwrapped["recordings"] = new Map()
    return change(input, {
      edit: (text) =>
        Result.map(unwrapping.unwrap(text, input.servers), (outcome) => {
          recordings = outcome.recordings
          return outcome
        }),
      idle: unwrapping.untapped,
      told: (server) => `${server}: it is as it was`,
      stays: (server) => {
        const file = recordings.get(server)
        return file !== undefined && existsSync(file) ? `${server}: its recording stays: ${file}` : undefined
      }
    })
  })

/** The file with the messages of a server, next to the configuration. Any name of a server is that of a file. */
export const recordingBeside = (file: string, server: string): string => {
  const name = encodeURIComponent(server.toWellFormed()).replaceAll("*", "%2A")
  const most = Math.max(shortest, longestName - Buffer.byteLength(basename(file)))
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16)
  return `${resolve(file)}.${name.length <= most ? name : `${name.slice(0, most - 17)}~${digest}`}.jsonl`
}

/** Bytes of a file's name, of the 255 that most systems allow. */
const longestName = 200

/** The length that the name of a server keeps beside a long name of the configuration. */
const shortest = 32

/**
 * How a host starts this command, from the path of its script. npx keeps packages for a while in a folder of its own, so that
 * a path there would soon lead nowhere.
 */
export const programOf = (node: string, script: string): Mark.Program =>
  /[\\/](?:_npx|dlx-[^\\/]*|dlx)[\\/]/.test(script)
    ? Mark.npx
    : { command: node, args: [script] }

interface Change {
  readonly edit: (text: string) => Result.Result<Outcome, string>
  /** Why a server needs no change. */
  readonly idle: string
  /** The line about a changed server. */
  readonly told: (server: string) => string
  /** The line about a file of a changed server that stays. */
  readonly stays?: (server: string) => string | undefined
}

const change = Effect.fnUntraced(function*(
  { file, servers }: Input,
  { edit, idle, stays = () => undefined, told }: Change
): Effect.fn.Return<void, CommandError> {
  const { changed, left } = yield* Effect.raceFirst(edited(file, servers, edit, idle), signal.ended)
  for (const [server, why] of left) yield* complain(printableLine(`${server}: it stays as it is: ${why}`))
  for (const server of changed) yield* print(printableLine(told(server)))
  for (const line of changed.flatMap((server) => stays(server) ?? [])) yield* complain(printableLine(line))
  yield* complain(changed.length > 0 ? "Restart the host, or have it read its file again." : "Nothing is changed.")
})

/** Changes the file while no other process does. */
const edited = (
  file: string,
  servers: ReadonlyArray<string>,
  edit: Change["edit"],
  idle: string
): Effect.Effect<Outcome, CommandError> =>
  Effect.scoped(Effect.gen(function*() {
    yield* Effect.tryPromise({ try: () => check(file), catch: (cause) => unreadable(file, cause) })
    const held = yield* Effect.mapError(wholeFile.hold(file), (cause) => unwritable(file, cause))
    const text = yield* Effect.tryPromise({ try: () => read(file), catch: (cause) => unreadable(file, cause) })
    const outcome = yield* Effect.mapError(
      Effect.fromResult(edit(text)),
      (why) => usage(`${file} cannot be changed: ${printableLine(why)}`, whatFile)
    )
    const refused = servers.find((server) => outcome.left.has(server) && outcome.left.get(server) !== idle)
    if (refused !== undefined) {
      return yield* usage(`${file}: ${printableLine(refused)} cannot be changed: ${outcome.left.get(refused)}`, hint)
    }
    if (outcome.changed.length > 0) {
      yield* Effect.mapError(held.replace(outcome.text), (cause) => unwritable(file, cause))
    }
    return outcome
  }))

const hint = "name only servers with a command, or with a URL of http or https"

const whatFile = "FILE is the file in which a host names its servers"

const unreadable = (file: string, cause: unknown): CommandError =>
  usage(`${file} cannot be read: ${describeCause(cause)}`, whatFile)

const unwritable = (file: string, cause: unknown): CommandError =>
  cause instanceof wholeFile.Taken
    ? usage(`${file} is being changed by another process`, `if none runs, remove ${cause.lock}`)
    : usage(`${file} cannot be written: ${describeCause(cause)}`, "it is as it was")

/** The largest configuration. Those of hosts have some KiB. */
const mostBytes = 4 * 1024 * 1024

/** A device or a pipe may never end. */
const check = async (file: string): Promise<void> => {
  const stats = await stat(file)
  if (!stats.isFile()) throw new Error("it is not a regular file")
  if (stats.size > mostBytes) throw new Error(`it has ${stats.size} bytes, and at most ${mostBytes} are read`)
}

/** The text of a file. One that is not UTF-8 would be another after it is written. */
const read = async (file: string): Promise<string> =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file))
