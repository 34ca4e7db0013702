/**
 * `parley conform`: runs the suites against an endpoint, and shows the report.
 */
import * as Conform from "@parley/conform/Conform"
import * as Report from "@parley/conform/Report"
import * as Redaction from "@parley/traffic/Redaction"
import { describeCause } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFile } from "node:fs/promises"
import * as duration from "../arguments/duration.ts"
import * as spelled from "../arguments/spelled.ts"
import { join } from "../arguments/words.ts"
import { at, CommandError, ExitCode, line, usage, withHint } from "../terminal/CommandError.ts"
import { complain, print, printableLine } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import type * as framings from "../wire/framings.ts"
import * as wire from "../wire/Wire.ts"
import * as known from "./known.ts"
import * as report from "./report.ts"
import * as target from "./target.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<wire.Input, "endpoint" | "framing" | "dialect">, report.Input {
  readonly endpoint: ReadonlyArray<string>
  readonly protocol: Option.Option<Conform.ProtocolName>
  readonly openrpc: Option.Option<string>
  readonly method: ReadonlyArray<string>
  readonly only: ReadonlyArray<string>
  readonly skip: ReadonlyArray<string>
  readonly list: boolean
  readonly seed: number
  readonly expect: Option.Option<string>
  readonly write: boolean
  readonly aggressive: boolean
  readonly timeout: Option.Option<string>
  readonly dialect: framings.DialectName
  readonly framing: Option.Option<framings.Name>
}

/** Lists the rules, or runs them; a run that a signal ends has proven nothing. */
export const conform = (input: Input): Effect.Effect<void, CommandError> =>
  input.list ? list(input) : Effect.asVoid(Effect.raceFirst(Effect.scoped(test(input)), signal.ended))

const list = ({ only, skip }: Input) =>
  Effect.andThen(
    Effect.forEach([...only, ...skip], existing),
    Effect.suspend(() =>
      print(
        Conform.rules
          .filter(({ id }) => (only.length === 0 || Conform.isNamed(only, id)) && !Conform.isNamed(skip, id))
          .map(({ id, level, title }) => `${id}  (${level.toUpperCase()})  ${title}`)
          .join("\n")
      )
    )
  )

const test = Effect.fnUntraced(function*(input: Input) {
  const endpoint = yield* spelled.endpoint(input.endpoint)
  const there = yield* wire.fromInput(
    { ...input, endpoint, framing: Option.getOrUndefined(input.framing) },
    "--framing"
  )
  yield* report.files(input)
  yield* Effect.forEach([...input.only, ...input.skip], existing)
  const expected = yield* expectedOf(input.expect)
  const timeout = yield* duration.fromFlag(Option.getOrElse(input.timeout, () => "5s"))
  const subject = yield* Effect.catchTag(
    target.fromWire(there, timeout),
    "TransportError",
    (error) => Effect.fail(line(`${there.name}: ${error.message}`))
  )
  const options: Conform.ConformOptions = {
    protocol: Option.getOrUndefined(input.protocol),
    document: yield* known.document(input.openrpc),
    methods: yield* Effect.forEach(input.method, known.call),
    seed: input.seed,
    only: input.only.length === 0 ? undefined : input.only,
    skip: input.skip,
    timeout,
    write: input.write,
    aggressive: input.aggressive,
    onResult: progress()
  }
  const bounds = Conform.bounds(options)
  if (bounds.length > 0) yield* complain(`at most ${bounds.join(", ")}`)
  const result = yield* Conform.run(subject, options).pipe(
    Effect.catchTag("Unreachable", ({ reason }) => Effect.fail(line(at(there.name, reason))))
  )
  if (result.results.length === 0) {
    return yield* usage(
      `no rule that was chosen is about ${printableLine(result.protocol)}`,
      "choose others with --only and --skip: parley conform --list shows all of them"
    )
  }
  for (const [verdict, ids] of Report.unsettled(result, expected)) {
    yield* complain(`expected to fail, and ${unsettled[verdict]}: ${ids.join(", ")}`)
  }
  const whole = Report.expecting(result, expected)
  const flags = flagsOf(input)
  yield* report.write(input, (format, options) => Report.render(whole, format, { ...options, flags }))
  if (Report.isFailed(whole)) {
    return yield* new CommandError({ exitCode: ExitCode.remote, message: `${there.name}: ${Report.summaryOf(whole)}` })
  }
  const [undecided] = whole.results.filter(({ because, verdict }) => verdict === "unverified" && because === undefined)
  if (undecided !== undefined && Report.isUndecided(whole)) {
    const message = `${there.name}: most rules were not decided: ${undecided.reason}`
    return yield* line(
      undecided.reason?.includes("credentials") === true
        ? withHint(message, "--header-env 'Authorization: Bearer=VARIABLE' or --header-file gives some")
        : message
    )
  }
})

/** The flags that a finding may need to be shown again. The values of headers may be secrets. */
const flagsOf = (input: Input): ReadonlyArray<string> => {
  const { aggressive, ca, dialect, framing, header, method, openrpc, protocol, timeout, write } = input
  const one = (flag: string, value: Option.Option<string>) =>
    Option.match(value, { onNone: () => [], onSome: (text) => [flag, text] })
  const each = (flag: string, values: ReadonlyArray<string>) => values.flatMap((text) => [flag, text])
  return [
    ...one("--protocol", protocol),
    ...one("--openrpc", openrpc),
    ...each("--method", method),
    ...write ? ["--write"] : [],
    ...aggressive ? ["--aggressive"] : [],
    ...one("--timeout", timeout),
    ...dialect === "jsonRpc" ? [] : ["--dialect", dialect],
    ...one("--framing", framing),
    ...each("--header", header.typed.map((text) => `${text.split(":")[0]}: ${Redaction.mark}`)),
    ...each("--header-file", header.file),
    ...each("--header-env", header.env),
    ...one("--ca", ca)
  ].map((word) => join([word]))
}

/** A rule that does not exist would be a run that tests nothing. */
const existing = (name: string): Effect.Effect<void, CommandError> =>
  Conform.rules.some((rule) => Conform.isNamed([name], rule.id))
    ? Effect.void
    : Effect.fail(usage(`there is no rule ${JSON.stringify(name)}`, "parley conform --list shows all of them"))

/** How a rule of `--expect` may end that has neither failed nor passed. */
const unsettled: Readonly<Record<Report.Unsettled, string>> = {
  warning: "only a warning",
  notApplicable: "not applicable",
  unverified: "unverified",
  notRun: "not run"
}

/** The ids of a file: one on each line, with comments behind #. */
const expectedOf = (file: Option.Option<string>): Effect.Effect<ReadonlySet<string>, CommandError> =>
  Option.isNone(file)
    ? Effect.succeed(new Set())
    : Effect.flatMap(
      Effect.tryPromise({
        try: () => readFile(file.value, "utf8"),
        catch: (cause) =>
          usage(
            `${printableLine(file.value)} cannot be read: ${describeCause(cause)}`,
            "--expect needs a file of rules"
          )
      }),
      (text) => {
        const ids = text.split("\n").map((line) => (line.split("#")[0] ?? "").trim()).filter((id) => id !== "")
        const unknown = ids.find((id) => Conform.rules.every((rule) => rule.id !== id))
        return unknown === undefined
          ? Effect.succeed(new Set(ids))
          : Effect.fail(usage(
            `${printableLine(file.value)}: there is no rule ${JSON.stringify(unknown)}`,
            "parley conform --list shows all of them"
          ))
      }
    )

/** Says on stderr where a long run is, every few seconds. */
const progress = (): NonNullable<Conform.ConformOptions["onResult"]> => {
  let told: number | undefined
  let failed = 0
  return ({ verdict }, done, all) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (verdict === "fail") failed++
      told ??= now
      if (now - told < Duration.toMillis(Duration.seconds(5))) return Effect.void
      told = now
      return complain(`${done} of ${all} rules, ${failed} failed`)
    })
}
