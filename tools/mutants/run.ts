/** Runs the tests that the mutants name: first as they are, then once per mutant, all in one vitest. */
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { TestCase, TestModule, TestSpecification, Vitest } from "vitest/node"
import { createVitest } from "vitest/node"
import type { Mutant } from "./Mutant.ts"
import { idOf, mutantPlugin } from "./plugin.ts"

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

export const run = async (
  root: string,
  mutants: ReadonlyArray<Mutant>,
  limit = 480_000
): Promise<ReadonlyArray<Verdict>> => {
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
    // Workers that stay make this ten times as fast; threads end with this process even when a mutant never does.
    isolate: false,
    pool: "threads",
    maxWorkers: "100%",
    retry: 0,
    // As long as the tests have among the others: here they only must pass.
    testTimeout: 30_000,
    setupFiles: [join(import.meta.dirname, "setup.ts")],
    // A mutant may reject a promise that nobody awaits; what counts are the tests.
    dangerouslyIgnoreUnhandledErrors: true
  }, { plugins: [mutantPlugin(root, mutants)] })

  const deadline = Promise.withResolvers<"late">()
  const timer = setTimeout(() => deadline.resolve("late"), limit)
  const finished = await Promise.race([runBoth(vitest, root, mutants), deadline.promise])
  clearTimeout(timer)
  if (finished === "in time") await vitest.close()
  return mutants.map((mutant) => {
    const without = join(root, mutant.test)
    const under = idOf(root, mutant)
    const hangs = [without, under].find((id) => started.has(id) && !ended.has(id))
    return judge(mutant, ended.get(without), ended.get(under), hangs !== undefined)
  })
}

const runBoth = async (vitest: Vitest, root: string, mutants: ReadonlyArray<Mutant>): Promise<"in time"> => {
  const specification = (id: string, titles: ReadonlyArray<string>): TestSpecification =>
    vitest.getRootProject().createSpecification(id, {
      testNamePattern: new RegExp(titles.map((title) => RegExp.escape(title)).join("|"))
    })
  const byTest = Map.groupBy(mutants, (mutant) => mutant.test)
  await vitest.runTestSpecifications(
    Array.from(byTest, ([test, group]) => specification(join(root, test), group.map(({ title }) => title)))
  )
  // More workers than processors, and less time: a mutant that hangs waits for its time to end.
  Object.assign(vitest.config, { maxWorkers: 8, testTimeout: 1_500, hookTimeout: 1_000 })
  await vitest.runTestSpecifications(mutants.map((mutant) => specification(idOf(root, mutant), [mutant.title])))
  return "in time"
}

const judge = (
  mutant: Mutant,
  without: TestModule | undefined,
  under: TestModule | undefined,
  hangs: boolean
): Verdict => {
  const milliseconds = Math.round(under?.diagnostic().duration ?? 0)
  const verdict = (outcome: Verdict["outcome"], detail: string) => ({ mutant, outcome, detail, milliseconds })
  if (hangs) return verdict("broken", "its tests do not come to an end")
  if (without === undefined || under === undefined) return verdict("broken", "its turn never came")
  const error = [...without.errors(), ...under.errors()][0]
  if (error !== undefined) return verdict("broken", `its test file does not load: ${firstLines(error.message)}`)
  const sound = testsOf(mutant, without)
  if (sound.length === 0) return verdict("broken", `no test is titled "${mutant.title}…"`)
  const failing = sound.find((test) => test.result().state !== "passed")
  if (failing !== undefined) return verdict("broken", `fails without it: ${failing.name}`)
  const tests = testsOf(mutant, under)
  const noticed = tests.find((test) => test.result().state === "failed")
  return noticed === undefined ? verdict("green", `none of ${tests.length} noticed`) : verdict("red", noticed.name)
}

const testsOf = ({ title }: Mutant, module: TestModule): ReadonlyArray<TestCase> =>
  [...module.children.allTests()].filter((test) => test.name.startsWith(title))

const firstLines = (message: string): string =>
  stripVTControlCharacters(message).split("\n").slice(0, 3).join(" ").trim()
