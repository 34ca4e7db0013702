/**
 * The difference that an approval makes, as a person reads it: every line of each new definition, and each changed line
 * of the others. The text is that of the pins, with everything hidden in it visible.
 */
import * as Pins from "@parley/mcp-gateway/Pins"
import { Excerpt } from "@parley/protocol/shared"

/** A name of which definitions were added, changed or taken away. */
export interface Change {
  readonly sign: "+" | "~" | "-"
  readonly server: string
  readonly kind: Pins.Kind
  readonly name: string
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** The changes between the pins of a server, in the order of the new ones. */
export const changes = (server: string, before: Pins.Pins, after: Pins.Pins): ReadonlyArray<Change> => {
  const [old, now] = [texts(before), texts(after)]
  return [...new Map([...now, ...old]).entries()].flatMap(([key, { kind, name }]): ReadonlyArray<Change> => {
    const [was, is] = [old.get(key)?.texts ?? [], now.get(key)?.texts ?? []]
    const sign = was.length === 0 ? "+" : is.length === 0 ? "-" : "~"
    return was.toSorted().join("\n") === is.toSorted().join("\n")
      ? []
      : [{ sign, server, kind, name, before: was, after: is }]
  })
}

interface Named {
  readonly kind: Pins.Kind
  readonly name: string
  readonly texts: Array<string>
}

const texts = (pins: Pins.Pins): ReadonlyMap<string, Named> => {
  const found = new Map<string, Named>()
  for (const { definition, kind, name } of pins) {
    const key = `${kind} ${name}`
    const named: Named = found.get(key) ?? { kind, name, texts: [] }
    found.set(key, named)
    named.texts.push(Pins.textOf(definition, 2))
  }
  return found
}

/** The lines of a change: its name, and below it each of its definitions that was not approved, or is no more. */
export const lines = (change: Change): ReadonlyArray<string> => {
  const { after, before, kind, name, server, sign } = change
  const head = [sign, Excerpt.name(server), kind, ...kind === "instructions" ? [] : [shown(kind, name)]].join(" ")
  const gone = before.filter((text) => !after.includes(text))
  const come = after.filter((text) => !before.includes(text))
  const kept = after.length - come.length
  return [
    head,
    ...kept === 0 ? [] : [`    (${kept} more, for other clients, approved before)`],
    ...Array.from(
      { length: Math.max(gone.length, come.length) },
      (_, at) => diff(gone[at]?.split("\n") ?? [], come[at]?.split("\n") ?? [])
    ).flat()
  ]
}

/** The name of a tool or prompt may look like another. A URI has other characters than a name. */
const shown = (kind: Pins.Kind, name: string): string =>
  kind === "tool" || kind === "prompt" ? Excerpt.name(name, Infinity) : Excerpt.line(name, Infinity)

/** All lines of both texts: those that are gone, those that came, and those that stay. */
const diff = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)
  ) end++
  const gone = before.slice(start, before.length - end)
  const come = after.slice(start, after.length - end)
  return [
    ...after.slice(0, start).map((line) => signed(" ", line)),
    ...between(gone, come),
    ...after.slice(after.length - end).map((line) => signed(" ", line))
  ]
}

/** The longest common lines stay, unless there are too many to look for. */
const between = (gone: ReadonlyArray<string>, come: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (gone.length * come.length > mostCompared) {
    return [...gone.map((line) => signed("-", line)), ...come.map((line) => signed("+", line))]
  }
  const width = come.length + 1
  // The length of the longest common part of what follows two places.
  const common = new Uint32Array((gone.length + 1) * width)
  const at = (left: number, right: number): number => common[left * width + right] ?? 0
  for (let left = gone.length - 1; left >= 0; left--) {
    for (let right = come.length - 1; right >= 0; right--) {
      common[left * width + right] = gone[left] === come[right]
        ? at(left + 1, right + 1) + 1
        : Math.max(at(left + 1, right), at(left, right + 1))
    }
  }
  const found: Array<string> = []
  let left = 0
  let right = 0
  while (left < gone.length || right < come.length) {
    const [old, now] = [gone[left], come[right]]
    if (old !== undefined && old === now) {
      found.push(signed(" ", old))
      left++
      right++
    } else if (now === undefined || (old !== undefined && at(left + 1, right) >= at(left, right + 1))) {
      found.push(signed("-", old ?? ""))
      left++
    } else {
      found.push(signed("+", now))
      right++
    }
  }
  return found
}

const mostCompared = 4_000_000

const signed = (sign: "+" | "-" | " ", line: string): string => `  ${sign} ${Excerpt.line(line, Infinity)}`
