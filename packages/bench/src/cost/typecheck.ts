/**
 * Milliseconds that the compiler takes for a contract of 200 methods, with its client and its server, beyond those for
 * one of a single method: `node typecheck.ts`.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { median } from "../rounds.ts"

const folder = join(import.meta.dirname, "../../.tmp/typecheck")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

const method = (index: number): string => `
  method${index}: Method.make({
    params: { id: Schema.Int, name: Schema.String, tags: Schema.Array(Schema.String), at: Schema.optionalKey(Schema.Date) },
    result: Schema.Struct({ id: Schema.Int, field${index}: Schema.String, inner: Schema.Struct({ deep: Schema.Finite }) }),
    errors: { ${1000 + index}: Refused, 999: Missing }
  })`

const handler = (index: number): string => `
  method${index}: ({ id, name }) => id < 0
    ? Effect.fail(new Refused({ why: name }))
    : Effect.succeed({ id, field${index}: name, inner: { deep: 1 } })`

const call = (index: number): string => `
  const result${index} = yield* client.method${index}({ id: ${index}, name: "n", tags: [] })
  total += result${index}.field${index}.length + result${index}.inner.deep`

/** A program with so many methods, each defined, served and called. */
const program = (count: number): string => {
  const each = (write: (index: number) => string, separator: string) =>
    Array.from({ length: count }, (_, index) => write(index)).join(separator)
  return `import { Contract, Method } from "@parley/contract"
import { Effect, Schema } from "effect"

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}
class Missing extends Schema.TaggedError<Missing>()("Missing", {}) {}

export class Large extends Contract.make("Large", {${each(method, ",")}
}) {}

export const server = Large.toLayer({${each(handler, ",")}
})

export const caller = Effect.gen(function*() {
  const client = yield* Large.Client
  let total = 0
${each(call, "")}
  return total
}).pipe(Effect.catchTag("Refused", ({ why }) => Effect.succeed(why.length)))
`
}

const check = (count: number): number => {
  writeFileSync(join(folder, "program.ts"), program(count))
  const start = performance.now()
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
  if (status !== 0) throw new Error(stdout)
  return performance.now() - start
}

mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: "../../../../tsconfig.base.json",
    compilerOptions: { composite: false, incremental: false, declaration: false, declarationMap: false, noEmit: true },
    files: ["program.ts"]
  })
)
const differences = Array.from({ length: 5 }, () => {
  const one = check(1)
  return check(200) - one
})
rmSync(folder, { recursive: true })
process.stdout.write(`${median(differences)}\n`, () => process.exit())
