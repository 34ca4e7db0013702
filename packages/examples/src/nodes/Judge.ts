/**
 * Holds a trial against what is promised: who lost a call was told in time and with reason, a planned end cost no call that had
 * begun, nothing ran twice, no stream has a hole, and no older owner has written.
 */
import type { Notice } from "./cluster/Edge.ts"
import * as Tools from "./cluster/Tools.ts"
import type { Fault } from "./Faults.ts"
import type { Call } from "./Load.ts"
import type { Trial } from "./Trial.ts"

/** The time until the client of a lost call has an error, in milliseconds. */
const within = 5_000

/** The cost of a fault, in milliseconds. */
export interface Cost {
  readonly fault: Fault
  /** Calls that had begun to run, and whose answers never came. */
  readonly lost: number
  /** Calls that failed and never ran. */
  readonly refused: number
  /** The longest time until a client was told, from when the edge noticed, or from the call where that began later. */
  readonly told: number
  /** The time until a session of that node was answered again. */
  readonly pause: number
}

export interface Verdict {
  readonly answered: number
  readonly costs: ReadonlyArray<Cost>
  /** A sentence for each promise that was not kept. */
  readonly broken: ReadonlyArray<string>
}

/** Judges a trial. */
export const judge = (trial: Trial): Verdict => {
  const { calls, notices } = trial
  const faults = [...trial.faults, ...mistakes(trial)]
  const ran = timesRun(trial)
  const nodesOf = placesOf(trial)
  const broken = [...ranTwice(ran), ...holes(calls), ...olderWrites(trial)]
  const costs = new Map(faults.map((fault) => [fault, { failed: new Array<Call>(), told: 0 }]))

  for (const call of calls) {
    if (call.error === undefined) continue
    const nodes = nodesOf(call)
    const own = faults.filter((fault) => hasHit(fault, call, nodes))
    const [fault] = own
    if (fault === undefined) {
      broken.push(
        `call ${call.id} (${call.tool}) failed with ${call.error}, and nothing had befallen ${[...nodes].join()}`
      )
      continue
    }
    if (ran.has(call.id) && own.every(({ kind }) => kind === "end")) {
      broken.push(`call ${call.id} (${call.tool}) had begun, and was cut with ${call.error} by the end of a node`)
    }
    const told = Math.min(...own.map((fault) => toldAfter(fault, call, notices)))
    if (told > within || call.error === "RequestTimeout") {
      broken.push(
        `call ${call.id} (${call.tool}) of ${nodes.size} nodes was told ${call.error} ${told} ms after a ${fault.kind}`
      )
    }
    const cost = costs.get(fault)
    cost?.failed.push(call)
    if (cost !== undefined) cost.told = Math.max(cost.told, told)
  }
  if (trial.answered < trial.guests) broken.push(`${trial.guests - trial.answered} sessions are not answered any more`)

  return {
    answered: calls.filter(({ error }) => error === undefined).length,
    costs: [...costs].map(([fault, { failed, told }]) => {
      const lost = failed.filter(({ id }) => ran.has(id)).length
      return { fault, lost, refused: failed.length - lost, told, pause: pauseOf(fault, calls, nodesOf) }
    }),
    broken
  }
}

/** The nodes that the edge took for dead, though nothing had befallen them. */
const mistakes = ({ faults, notices }: Trial): ReadonlyArray<Fault> =>
  notices.flatMap(({ at, node }) =>
    faults.some((fault) => (fault.node ?? node) === node && fault.from <= at && at <= fault.to + within)
      ? []
      : [{ kind: "mistaken", node, from: at, to: at }]
  )

/** The tools of the calls that have begun, and how often. */
const timesRun = ({ ledgers }: Trial): ReadonlyMap<number, { readonly tool: string; readonly times: number }> => {
  const ran = new Map<number, { readonly tool: string; readonly times: number }>()
  for (const entries of ledgers.values()) {
    for (const entry of entries) {
      if (entry._tag === "Ran") ran.set(entry.call, { tool: entry.tool, times: (ran.get(entry.call)?.times ?? 0) + 1 })
    }
  }
  return ran
}

const ranTwice = (ran: ReturnType<typeof timesRun>): ReadonlyArray<string> =>
  [...ran].flatMap(([call, { times, tool }]) =>
    times === 1 || Tools.isIdempotent(tool) ? [] : [`call ${call} (${tool}) ran ${times} times`]
  )

/** Streams that were read to their end, and of which something is missing. */
const holes = (calls: ReadonlyArray<Call>): ReadonlyArray<string> =>
  calls.flatMap(({ error, id, progress, tool }) =>
    tool !== "count" || error !== undefined || progress.join() === everyStep
      ? []
      : [`call ${id} was answered, and its client heard of the steps ${progress.join()}`]
  )

const everyStep = Array.from({ length: Tools.steps }, (_, step) => step + 1).join()

/** Texts of a key that were accepted behind those of a newer owner, and epochs that two nodes had. */
const olderWrites = ({ ledgers }: Trial): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const epochs = new Map<string, Array<number>>()
  const owners = new Map<string, string>()
  for (const [node, entries] of ledgers) {
    for (const entry of entries) {
      if (entry._tag === "Appended") {
        const known = epochs.get(entry.key) ?? []
        if (known[entry.position] !== undefined) broken.push(`${entry.key} has two texts at ${entry.position}`)
        known[entry.position] = entry.epoch
        epochs.set(entry.key, known)
      } else if (entry._tag === "Claimed") {
        const claim = `${entry.key} with the epoch ${entry.epoch}`
        if (owners.has(claim)) broken.push(`${owners.get(claim)} and ${node} own ${claim}`)
        owners.set(claim, node)
      }
    }
  }
  for (const [key, known] of epochs) {
    let newest = 0
    known.forEach((epoch, position) => {
      if (epoch < newest) {
        broken.push(`${key} took a text of the epoch ${epoch} at ${position}, behind the epoch ${newest}`)
      }
      newest = Math.max(newest, epoch)
    })
  }
  return broken
}

/**
 * Gives the nodes that a call may have been on: those that its requests went to, and the owners of its session. A call that
 * no node has seen may have been on its way to any of them: a balancer may lose a request over a connection that just ends.
 */
const placesOf = ({ ledgers, passages }: Trial): (call: Call) => ReadonlySet<string> => {
  const passed = Map.groupBy(passages, ({ guest }) => guest)
  const claims = [...ledgers].flatMap(([node, entries]) =>
    entries.flatMap((entry) => entry._tag === "Claimed" ? [{ ...entry, node }] : [])
  )
  const claimed = Map.groupBy(
    claims.sort((one, other) => one.at - other.at),
    ({ key }) => key.slice(key.lastIndexOf("/") + 1)
  )
  return ({ from, guest, to }) => {
    const nodes = new Set<string>()
    const sessions = new Set<string>()
    for (const passage of passed.get(guest) ?? []) {
      if (passage.session !== undefined) sessions.add(passage.session)
      if (passage.from <= to && passage.to >= from) nodes.add(passage.node)
    }
    if (nodes.size === 0) return new Set(ledgers.keys())
    for (const session of sessions) {
      const owners = claimed.get(session) ?? []
      const first = owners.findLast(({ at }) => at <= from)
      if (first !== undefined) nodes.add(first.node)
      for (const { at, node } of owners) if (at > from && at <= to) nodes.add(node)
    }
    return nodes
  }
}

/** Whether a fault may have cost a call: it befell one of its nodes meanwhile, or so shortly before that it was not over. */
const hasHit = ({ from, node, to }: Fault, call: Call, nodes: ReadonlySet<string>): boolean =>
  (node === undefined || nodes.has(node)) && call.from <= to + within && call.to >= from

/** The time from when the edge has noticed, or the end of the fault if that is nearer, until the client was told. */
const toldAfter = ({ from, node, to }: Fault, call: Call, notices: ReadonlyArray<Notice>): number => {
  const noticed = notices.find((notice) => notice.node === node && notice.at >= from && notice.at <= to)?.at ?? from
  const since = [from, noticed, to].filter((time) => time <= call.to)
  return Math.max(0, call.to - Math.max(call.from, ...since))
}

/** The time from a fault until a call was answered that began after it, of a session that was there. */
const pauseOf = (
  { from, node, to }: Fault,
  calls: ReadonlyArray<Call>,
  nodesOf: (call: Call) => ReadonlySet<string>
): number => {
  const next = calls.find((call) =>
    call.error === undefined && call.from > from && call.from <= to && (node === undefined || nodesOf(call).has(node))
  )
  return next === undefined ? Number.NaN : next.to - from
}
