/** The rules that must hold for a history, whatever has happened. */
import type { Item } from "@parley/mesh/Journal"
import type { Call, History, Site } from "./Site.ts"
import { keys } from "./World.ts"

/** Every call has ended for its caller, whole or with an error, and no text was taken twice. */
export const calls = ({ calls, taken }: History): ReadonlyArray<string> => {
  const times = new Map<string, number>()
  for (const { id } of taken) times.set(id, (times.get(id) ?? 0) + 1)
  return calls.flatMap((call) => {
    const wrong: Array<string> = []
    const { end, id, seen } = call
    const all = [...Array.from({ length: call.count }, (_, n) => `${id}/${n}`), `${id}/end`]
    if (end === undefined) wrong.push(`call ${id} has not ended`)
    if (end === "answered" && seen.join() !== all.join()) wrong.push(`call ${id} was answered with ${seen.join()}`)
    if (seen.join() !== all.slice(0, seen.length).join()) wrong.push(`call ${id} has seen ${seen.join()}`)
    const count = times.get(id) ?? 0
    if (count > 1) wrong.push(`call ${id} was taken ${count} times`)
    if (end === "answered" && count !== 1) wrong.push(`call ${id} was answered, and taken ${count} times`)
    if ((end === "NoOwner" || end === "Overloaded") && count > 0) {
      wrong.push(`call ${id} ended with ${end}, and was taken`)
    }
    return wrong
  })
}

/** When nothing is wrong any more, all nodes answer again. */
export const recovery = (sites: number, calls: ReadonlyArray<Call>): ReadonlyArray<string> => [
  ...(sites === 3 ? [] : [`${sites} nodes run at the end`]),
  ...calls.flatMap(({ end, id }) => end === "answered" ? [] : [`call ${id}, when nothing was wrong, ended with ${end}`])
]

/** An epoch has one owner, and the epochs of a key only grow. */
export const claims = ({ claims }: History): ReadonlyArray<string> => {
  const newest = new Map<string, number>()
  return claims.flatMap(({ epoch, key, node }) => {
    const before = newest.get(key) ?? 0
    newest.set(key, Math.max(before, epoch))
    return epoch > before ? [] : [`${node} has claimed ${key} by the epoch ${epoch}, behind ${before}`]
  })
}

/** When nothing is wrong any more, a key has one owner at most. */
export const owners = (sites: ReadonlyArray<Site>): ReadonlyArray<string> =>
  keys.flatMap((key) => {
    const count = sites.filter((site) => site.has(key)).length
    return count > 1 ? [`${count} nodes own ${key}`] : []
  })

/** A caller that waits for a lost node is told so within two leases. */
export const told = (calls: ReadonlyArray<Call>): ReadonlyArray<string> =>
  calls.flatMap(({ end, id }) => end === undefined ? [`call ${id} waits for a node that is lost`] : [])

/** No text of an older epoch is behind one of a newer, and positions have no gaps. */
export const journal = (
  { appended }: History,
  key: string,
  items: ReadonlyArray<Item>
): ReadonlyArray<string> => {
  const own = appended.filter((one) => one.key === key)
  const texts = own.map(({ text }, index) => `${index + 1} ${text}`)
  const read = items.map((item) => item._tag === "Entry" ? `${item.position} ${item.text}` : "a gap")
  const back = own.find(({ epoch }, index) => index > 0 && epoch < own[index - 1]!.epoch)
  return [
    ...(read.join() === texts.join() ? [] : [`the journal has ${read.join()} and was given ${texts.join()}`]),
    ...(back === undefined ? [] : [`${back.text} of the epoch ${back.epoch} is behind a newer one`])
  ]
}
