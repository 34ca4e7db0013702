/** Runs the tests that the mutants name, as they are and once per mutant, all in one vitest. */
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { TestCase, TestModule, TestSpecification, Vitest } from "vitest/node"
import { createVitest } from "vitest/node"
import type { Mutant } from "./Mutant.ts"
import { idOf, mutantPlugin, withoutMaps } from "./plugin.ts"

/**
 * - `red`: a test noticed the mutant, as it must
 * - `green`: no test noticed it
 * - `broken`: the tests do not pass without the mutant, do not exist, do not load with it, or do not come to an end
 */
export interface Verdict {
  readonly mutant: Mutant
  readonly outcome: "red" | "green" | "broken"
  readonly detail: string
  readonly milliseconds: number
}

export interface Options {
  /** Milliseconds after which what has not ended is broken. A loaded machine needs many of them. */
  readonly limit?: number
}

export const run = async (
  root: string,
  mutants: ReadonlyArray<Mutant>,
  { limit = 1_500_000 }: Options = {}
): Promise<ReadonlyArray<Verdict>> => {
  const seen = await within(root, mutants, limit, async (vitest) => {
    await runUnchanged(vitest, root, mutants)
    // More workers than processors, and less time: a mutant that hangs waits for its time to end. To start a worker takes
    // as long as a few mutants.
    const maxWorkers = Math.min(8, Math.ceil(mutants.length / 4))
    Object.assign(vitest.config, { maxWorkers, testTimeout: 1_500, hookTimeout: 1_000 })
    await vitest.runTestSpecifications(
      mutants.map((mutant) => specification(vitest, idOf(root, mutant), [mutant.title]))
    )
  })
  return mutants.map((mutant) => {
    const id = idOf(root, mutant)
    const under = seen.ended.get(id)
    const milliseconds = Math.round(under?.diagnostic().duration ?? 0)
    const problem = problemWithout(seen, root, mutant) ?? problemIn(seen, id, mutant)
    if (problem !== undefined) return { mutant, outcome: "broken", detail: problem, milliseconds }
    const tests = testsOf(mutant, under)
    const noticed = tests.find((test) => test.result().state === "failed")
    return noticed === undefined
      ? { mutant, outcome: "green", detail: `none of ${tests.length} noticed`, milliseconds }
      : { mutant, outcome: "red", detail: noticed.name, milliseconds }
  })
}

/** The files of tests that were begun, and those that came to their end. */
interface Seen {
  readonly started: ReadonlySet<string>
  readonly ended: ReadonlyMap<string, TestModule>
}

const within = async (
  root: string,
  mutants: ReadonlyArray<Mutant>,
  limit: number,
  task: (vitest: Vitest) => Promise<void>
): Promise<Seen> => {
  const started = new Set<string>()
  const ended = new Map<string, TestModule>()
  const vitest = await createVitest({
    root,
    config: false,
    watch: false,
    reporters: [{
      onTestModuleQueued: (module) => void started.add(module.moduleId),
      onTestModuleEnd: (module) => void ended.set(module.moduleId, module)
    }],
    // The keys of this cache know nothing of our patches.
    fsModuleCache: false,
    // What is red here says nothing of the order in which to run the tests.
    cache: false,
    // Workers that stay make this ten times as fast; threads end with this process even when a mutant never does.
    isolate: false,
    pool: "threads",
    // A mutant may overflow the stack within an async scope, such as that in which Effect resumes a fiber: then the scope
    // cannot be left in order, and Node.js would end this process. Nothing here reads the ids that are out of order.
    execArgv: ["--no-force-async-hooks-checks"],
    maxWorkers: "100%",
    retry: 0,
    // As long as the tests have among the others: here they only must pass.
    testTimeout: 30_000,
    setupFiles: [join(import.meta.dirname, "setup.ts"), join(import.meta.dirname, "../logs/setup.ts")],
    // A mutant may reject a promise that nobody awaits; what counts are the tests.
    dangerouslyIgnoreUnhandledErrors: true
  }, { plugins: [mutantPlugin(root, mutants), withoutMaps] })

  const deadline = Promise.withResolvers<"late">()
  const timer = setTimeout(() => deadline.resolve("late"), limit)
  const finished = await Promise.race([task(vitest), deadline.promise])
  clearTimeout(timer)
  if (finished !== "late") await vitest.close()
  return { started, ended }
}

const runUnchanged = async (vitest: Vitest, root: string, mutants: ReadonlyArray<Mutant>): Promise<void> => {
  const byTest = Map.groupBy(mutants, (mutant) => mutant.test)
  await vitest.runTestSpecifications(
    Array.from(byTest, ([test, group]) => specification(vitest, join(root, test), group.map(({ title }) => title)))
  )
}

const specification = (vitest: Vitest, id: string, titles: ReadonlyArray<string>): TestSpecification =>
  vitest.getRootProject().createSpecification(id, {
    testNamePattern: new RegExp(titles.map((title) => RegExp.escape(title)).join("|"))
  })

const problemWithout = (seen: Seen, root: string, mutant: Mutant): string | undefined => {
  const id = join(root, mutant.test)
  const failing = testsOf(mutant, seen.ended.get(id)).find((test) => test.result().state !== "passed")
  return problemIn(seen, id, mutant) ?? (failing === undefined ? undefined : `fails without it: ${whyOf(failing)}`)
}

/** Why a file of tests says nothing of a mutant. */
const problemIn = ({ ended, started }: Seen, id: string, mutant: Mutant): string | undefined => {
  const module = ended.get(id)
  if (module === undefined) return started.has(id) ? "its tests do not come to an end" : "its turn never came"
  const error = module.errors()[0]
  if (error !== undefined) return `its test file does not load: ${firstLines(error.message)}`
  return testsOf(mutant, module).length === 0 ? `no test is titled "${mutant.title}…"` : undefined
}

const testsOf = ({ title }: Mutant, module: TestModule | undefined): ReadonlyArray<TestCase> =>
  [...module?.children.allTests() ?? []].filter((test) => test.name.startsWith(title))

const whyOf = (test: TestCase): string =>
  `${test.name}: ${firstLines(test.result().errors?.[0]?.message ?? test.result().state)}`

const firstLines = (message: string): string =>
  stripVTControlCharacters(message).split("\n").slice(0, 3).join(" ").trim()
