/** Runs steps, and prints each as a row of a table: its outcome, name, time and result. */
import { Cause, Clock, Effect, Exit } from "effect"

/** A step that ran, and its result. */
export interface Row {
  readonly section: string
  readonly step: string
  readonly passed: boolean
  readonly result: string
  readonly milliseconds: number
}

const colours = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === ""
const paint = (code: number, text: string) => colours ? `\u001b[${code}m${text}\u001b[0m` : text
const bold = (text: string) => paint(1, text)
const dim = (text: string) => paint(2, text)
const mark = (passed: boolean) => passed ? paint(32, "✓") : paint(31, "✗")

/** The columns of the table: the result comes last, because it has any length. */
const columns = (step: string, time: string) => `${step.padEnd(20)}${time.padStart(9)}  `

/** The steps of one run. */
export class Report {
  readonly rows: Array<Row> = []
  private readonly print: (line: string) => void
  private heading = ""

  constructor(print: (line: string) => void = console.log) {
    this.print = print
  }

  /** Runs steps under one heading. A failure between the steps is a failed step as well. */
  section<E, R>(heading: string, steps: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      this.heading = heading
      this.print(`\n${bold(heading)}`)
      this.print(dim(`    ${columns("step", "time")}result`))
      return Effect.catchCause(steps, (cause) => Effect.asVoid(this.step("open and close", Effect.failCause(cause))))
    }).pipe(Effect.asVoid)
  }

  /** Runs one step for at most one minute. Its result must match; a failure does not end the run. */
  step<E, R>(step: string, effect: Effect.Effect<string, E, R>, expected = /./): Effect.Effect<boolean, never, R> {
    return Effect.gen({ self: this }, function*() {
      const start = yield* Clock.currentTimeMillis
      const exit = yield* effect.pipe(
        Effect.filterOrFail((result) => expected.test(result), (result) => `${result} does not match ${expected}`),
        Effect.timeout("1 minute"),
        Effect.exit
      )
      const row: Row = {
        section: this.heading,
        step,
        passed: Exit.isSuccess(exit),
        result: Exit.isSuccess(exit) ? exit.value : String(Cause.squash(exit.cause)),
        milliseconds: (yield* Clock.currentTimeMillis) - start
      }
      this.rows.push(row)
      this.print(`  ${mark(row.passed)} ${columns(row.step, `${row.milliseconds} ms`)}${row.result}`)
      return row.passed
    })
  }

  /** The number of steps that passed and failed, and the names of those that failed. */
  summary(): string {
    const failed = this.rows.filter(({ passed }) => !passed)
    const names = failed.map(({ section, step }) => `  ${mark(false)} ${section}: ${step}`)
    return [...names, `${this.rows.length - failed.length} passed, ${failed.length} failed`].join("\n")
  }
}
