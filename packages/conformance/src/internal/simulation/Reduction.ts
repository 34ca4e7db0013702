/**
 * The shortest scenario with the same fault: actions are left out, then members and numbers made smaller, as long as
 * the fault stays.
 */
import type { Action, Scenario } from "./Scenario.ts"

/** Whether a scenario still has the fault. @internal */
export type HasFault = (scenario: Scenario) => Promise<boolean>

/** @internal */
export const reduce = async (scenario: Scenario, hasFault: HasFault, runs: number): Promise<Scenario> => {
  let left = runs
  let best = scenario
  const attempt = async (candidate: Scenario) => {
    if (left <= 0) return false
    left--
    if (!(await hasFault(candidate))) return false
    best = candidate
    return true
  }
  for (let before = ""; left > 0 && before !== JSON.stringify(best);) {
    before = JSON.stringify(best)
    await withoutActions(() => best, attempt)
    await smaller(() => best, attempt)
  }
  return best
}

type Attempt = (candidate: Scenario) => Promise<boolean>

/** Leaves out halves of the actions, then quarters, and at last single ones. */
const withoutActions = async (best: () => Scenario, attempt: Attempt) => {
  for (let size = Math.ceil(best().actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best().actions.length;) {
      const { actions } = best()
      const fewer: ReadonlyArray<Action> = [...actions.slice(0, at), ...actions.slice(at + size)]
      if (fewer.length === 0 || !(await attempt({ ...best(), actions: fewer }))) at += size
    }
  }
}

/** A position in a scenario. */
type Path = ReadonlyArray<string | number>

/** Tries smaller values for every member, one after the other. */
const smaller = async (best: () => Scenario, attempt: Attempt) => {
  for (const path of pathsOf(best())) {
    for (const value of valuesFor(path, valueAt(best(), path))) {
      if (JSON.stringify(valueAt(best(), path)) === undefined) break
      if (await attempt(replaced(best(), path, value))) break
    }
  }
}

/** All members, but for those that a scenario cannot be without. */
const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value !== "object" || value === null
    ? (path.at(-1) === "_tag" || path.at(-1) === "kind" ? [] : [path])
    : [
      ...(path.length > 2 ? [path] : []),
      ...Object.entries(value).flatMap(([name, member]) =>
        pathsOf(member, [...path, Array.isArray(value) ? Number(name) : name])
      )
    ]

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, name) => isObject(at) ? at[name] : undefined, value)

const isObject = (value: unknown): value is Readonly<Record<string | number, unknown>> =>
  typeof value === "object" && value !== null

/** Members of a call, a notification or a work that may be absent. */
const optional = new Set([
  "size",
  "batch",
  "timeout",
  "giveUp",
  "idempotent",
  "progress",
  "partial",
  "aside",
  "hold",
  "after",
  "ask",
  "back",
  "notify",
  "wait",
  "until",
  "hang",
  "fail"
])

/** Smaller values first. `undefined` leaves a member out. */
const valuesFor = (path: Path, value: unknown): ReadonlyArray<unknown> => {
  const name = path.at(-1)
  const absent = typeof name === "string" && optional.has(name) && path[0] === "actions" ? [undefined] : []
  if (typeof value !== "number") return absent
  const least = name === "times" || path[0] === "bounds" || path[0] === "links" && name !== "delay" ? 1 : 0
  const numbers = [least, round(value), Math.floor(value / 2), Math.floor(value * 0.75), value - 1]
  return [
    ...absent,
    ...numbers.filter((number, index) => number >= least && number < value && numbers.indexOf(number) === index)
  ]
}

/** The largest number of one digit and zeros that is smaller. */
const round = (value: number) => {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))))
  return Math.floor((value - 1) / power) * power
}

/** A copy with another value at a path. */
const replaced = (scenario: Scenario, path: Path, value: unknown): Scenario => {
  const copy = (at: unknown, [name, ...rest]: Path): unknown => {
    if (name === undefined) return value
    if (Array.isArray(at)) return at.map((item, index) => index === name ? copy(item, rest) : item)
    if (!isObject(at)) return at
    const { [name]: _, ...others } = at
    const changed = copy(at[name], rest)
    return changed === undefined ? others : { ...at, [name]: changed }
  }
  // The shape stays: numbers become smaller, and only what may be absent is left out.
  return copy(scenario, path) as Scenario
}
