/** Reports on stdout and in files. */
import type { Format, RenderOptions } from "@parley/conform/Report"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { writeFile } from "node:fs/promises"
import { extname } from "node:path"
import { CommandError, ExitCode, usage } from "../terminal/CommandError.ts"
import { complain, print, printableLine } from "../terminal/output.ts"
import * as style from "../terminal/style.ts"

/** The flags about reports. */
export interface Input {
  readonly format: Format
  readonly report: ReadonlyArray<string>
  readonly all: boolean
  readonly about: Option.Option<string>
}

const formats: ReadonlyMap<string, Format> = new Map([
  [".json", "json"],
  [".xml", "junit"],
  [".sarif", "sarif"],
  [".md", "markdown"],
  [".html", "html"]
])

/** The files and their formats, or why there are none: told before a long run begins. */
export const files = (
  { report }: Pick<Input, "report">
): Effect.Effect<ReadonlyArray<readonly [path: string, format: Format]>, CommandError> =>
  Effect.forEach(report, (path) => {
    const format = formats.get(extname(path))
    return format === undefined
      ? Effect.fail(usage(
        `--report ${printableLine(path)} has no known ending`,
        `use one of ${[...formats.keys()].join(", ")}`
      ))
      : Effect.succeed([path, format] as const)
  })

/** Writes the report to its files, and prints it. A file that cannot be written costs the exit code, and no other report. */
export const write = Effect.fnUntraced(function*(
  input: Input,
  render: (format: Format, options: RenderOptions) => string
): Effect.fn.Return<void, CommandError> {
  const { coloured } = style.styleOf(process.stdout)
  const artifact = Option.getOrUndefined(input.about)
  const paint: RenderOptions["paint"] = (weight, word) =>
    weight === "error"
      ? style.paint(coloured, style.red, word)
      : weight === "none"
      ? word
      : style.paint(coloured, weight === "skipped" ? style.dim : style.bold, word)
  const [, unwritten] = yield* Effect.partition(yield* files(input), ([path, format]) =>
    Effect.andThen(
      Effect.tryPromise({
        try: () => writeFile(path, `${render(format, { artifact })}\n`),
        catch: (cause) => `${printableLine(path)} cannot be written: ${describeCause(cause)}`
      }),
      complain(`wrote ${printableLine(path)}`)
    ))
  yield* print(render(input.format, { artifact, paint, isWhole: input.all }))
  if (unwritten.length > 0) {
    return yield* new CommandError({ exitCode: ExitCode.output, message: unwritten.join("; ") })
  }
})
