/** The published specimens, as targets, and the mutants that their table names. */
import { assert } from "@effect/vitest"
import type { Target } from "@parley/conform"
import { Effect, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Started from "./Started.ts"

/** Where a server is tried. */
export interface Place {
  readonly language: "TypeScript" | "Python"
  readonly wire: "stdio" | "HTTP"
}

export const places: ReadonlyArray<Place> = [
  { language: "TypeScript", wire: "stdio" },
  { language: "TypeScript", wire: "HTTP" },
  { language: "Python", wire: "stdio" },
  { language: "Python", wire: "HTTP" }
]

/** A row of the table. */
export interface Mutant {
  readonly name: string
  /** The program and its options, such as `mcp --resources`. */
  readonly servers: ReadonlyArray<string>
  /** Where it is, out of all places. */
  readonly places: ReadonlyArray<Place>
  /** The rule that finds it. */
  readonly rule: string
}

const folder = join(import.meta.dirname, "../../specimens")

const cells = (row: string): ReadonlyArray<string> =>
  row.slice(1, -1).split("|").map((cell) => cell.trim().replaceAll("`", ""))

/** The table of the README. */
export const mutants: ReadonlyArray<Mutant> = readFileSync(join(folder, "README.md"), "utf8")
  .split("## Mutants")[1]!.split("\n").filter((line) => line.startsWith("| `")).map((row) => {
    const [name = "", servers = "", where = "", , , rule = ""] = cells(row)
    const words = where.split(", ").filter((word) => word !== "")
    return {
      name,
      servers: servers.split(", "),
      places: places.filter(({ language, wire }) => words.every((word) => word === language || word === wire)),
      rule
    }
  })

/** The command of a server, such as `mcp --resources`. */
export const commandOf = (
  server: string,
  { language, wire }: Place,
  more: ReadonlyArray<string> = []
): Started.Command => {
  const [name = "", ...options] = server.split(" ")
  const args = [...options, ...(wire === "HTTP" && name !== "forecast" ? ["--http"] : []), ...more]
  return language === "TypeScript"
    ? [process.execPath, join(folder, "typescript", `${name}.ts`), ...args]
    : ["python3", join(folder, "python", `${name}.py`), ...args]
}

/** Starts a server. */
export const start = (
  server: string,
  place: Place,
  more?: ReadonlyArray<string>
): Effect.Effect<Target.Target, never, Scope.Scope> => {
  const command = commandOf(server, place, more)
  return place.wire === "HTTP" ? Started.http(command) : Effect.succeed(Started.stdio(command))
}

/** Why a report is not that of a correct server: its failures, and what was not decided. */
export const blemishes = (
  results: ReadonlyArray<{ readonly id: string; readonly verdict: string; readonly reason?: string }>
) =>
  results.flatMap(({ id, reason, verdict }) =>
    verdict === "fail" || verdict === "unverified"
      ? [`${verdict} ${id}${reason === undefined ? "" : `: ${reason}`}`]
      : []
  )

assert.isAbove(mutants.length, 29)
