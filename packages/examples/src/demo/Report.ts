/** Runs steps, tells what came of each, and remembers it for the table at the end. */
import { Cause, Clock, Effect, Exit } from "effect"

/** What ran, and what came of it. */
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

/** The steps of one run. */
export class Report {
  readonly rows: Array<Row> = []
  private readonly print: (line: string) => void
  private heading = ""

  constructor(print: (line: string) => void = console.log) {
    this.print = print
  }

  /** Steps under one heading. What fails between them is a failed step as well. */
  section<E, R>(heading: string, steps: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      this.heading = heading
      this.print(`\n${bold(heading)}`)
      return Effect.catchCause(steps, (cause) => Effect.asVoid(this.step("open and close", Effect.failCause(cause))))
    }).pipe(Effect.asVoid)
  }

  /**
   * One step, of twenty seconds at most. What it has to say must match; a failure is told and does not end the run.
   */
  step<E, R>(step: string, effect: Effect.Effect<string, E, R>, expected = /./): Effect.Effect<boolean, never, R> {
    return Effect.gen({ self: this }, function*() {
      const start = yield* Clock.currentTimeMillis
      const exit = yield* effect.pipe(
        Effect.filterOrFail((result) => expected.test(result), (result) => `${result} does not match ${expected}`),
        Effect.timeout("20 seconds"),
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
      this.print(`  ${mark(row.passed)} ${row.step.padEnd(24)} ${row.result} ${dim(`${row.milliseconds} ms`)}`)
      return row.passed
    })
  }

  /** All steps, one per line. What came of each is told already. */
  table(): string {
    const cells = this.rows.map(({ milliseconds, passed, section, step }) => [
      section,
      step,
      `${milliseconds} ms`,
      passed ? "passed" : "FAILED"
    ])
    const head = ["with", "step", "time", "outcome"]
    const time = head.indexOf("time")
    const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
    const line = (row: ReadonlyArray<string>) =>
      row.map((cell, column) => column === time ? cell.padStart(widths[time] ?? 0) : cell.padEnd(widths[column] ?? 0))
        .join(
          "  "
        )
    const rule = widths.map((width) => "─".repeat(width)).join("  ")
    return [bold(line(head).trimEnd()), rule, ...cells.map((row) => line(row).trimEnd())].join("\n")
  }
}
