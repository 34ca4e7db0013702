/**
 * Turns, round after round: in each round every subject has one at every number of calls at once.
 *
 * The machine is shared and its speed changes from one second to the next, so only what happened in the same round is
 * compared: a ratio is the median of the rounds' ratios. Each process is lucky or unlucky in how it was optimized, so
 * they are started anew several times.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Subject } from "./Subject.ts"
import type { Outcome, Turn } from "./turn.ts"

export interface Options {
  readonly payload: Turn["payload"]
  /** Calls at once. */
  readonly inFlight: ReadonlyArray<number>
  readonly rounds: number
  /** Of one turn. */
  readonly milliseconds: number
}

/** The outcome of each round, by subject and calls at once. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<number, ReadonlyArray<Outcome>>>

/** How often the processes are started. */
const starts = 3

/**
 * Milliseconds for the optimizer, before the first round, at each number of calls at once. Over HTTP there are fewer
 * calls in that time: a route of Effect's server takes twice as long for its first 20,000 calls, and an official SDK
 * becomes faster for some seconds.
 */
const warmUpOf = ({ wire }: Subject): number => /http|client/.test(wire) ? 4_000 : 700

const turnPath = fileURLToPath(new URL("./turn.ts", import.meta.url))

/** A subject takes part under another name where the `turn.ts` of another checkout runs its turns. */
export interface Entrant {
  readonly subject: Subject
  readonly name?: string
  readonly turn?: string
}

interface Contestant {
  readonly subject: Subject
  readonly name: string
  readonly process: ChildProcess
}

export const measure = async (entrants: ReadonlyArray<Entrant>, options: Options): Promise<Outcomes> => {
  const outcomes = new Map(
    entrants.map(({ name, subject }) => [name ?? subject.name, new Map<number, Array<Outcome>>()])
  )
  for (let start = 0; start < starts; start++) {
    const share = Math.ceil((options.rounds - start) / starts)
    if (share > 0) await play(entrants, { ...options, rounds: share }, outcomes)
  }
  return outcomes
}

const play = async (
  entrants: ReadonlyArray<Entrant>,
  { inFlight, milliseconds, payload, rounds }: Options,
  outcomes: ReadonlyMap<string, Map<number, Array<Outcome>>>
): Promise<void> => {
  const started = entrants.map(({ name, subject, turn }) => {
    const contestant = {
      subject,
      name: name ?? subject.name,
      process: fork(turn ?? turnPath, [subject.name], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
    }
    return { contestant, dropped: drops(contestant, heard(contestant)) }
  })
  let contestants: ReadonlyArray<Contestant> = []
  for (const { contestant, dropped } of started) {
    if (!await dropped) contestants = [...contestants, contestant]
  }
  for (let round = -1; round < rounds; round++) {
    for (const count of inFlight) {
      // There and back, so that nobody always follows the same.
      for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
        if (count > (contestant.subject.most ?? Infinity)) continue
        const turn = { payload, inFlight: count, milliseconds: round < 0 ? warmUpOf(contestant.subject) : milliseconds }
        const outcome = ask(contestant, turn)
        if (await drops(contestant, outcome)) {
          contestants = contestants.filter((other) => other !== contestant)
          continue
        }
        if (round < 0) continue
        const all = outcomes.get(contestant.name)
        all?.set(count, [...all.get(count) ?? [], await outcome])
      }
    }
  }
  for (const { process } of contestants) {
    process.send("end")
    await new Promise((resolve) => process.once("exit", resolve))
  }
}

/** Whether it failed, which leaves it out of the rest. */
const drops = ({ name, process }: Contestant, outcome: Promise<unknown>): Promise<boolean> =>
  outcome.then(() => false, (cause: unknown) => {
    console.error(`${name} is left out:`, cause)
    process.kill("SIGKILL")
    return true
  })

const ask = (contestant: Contestant, turn: Turn): Promise<Outcome> => {
  const answer = heard<Outcome>(contestant)
  contestant.process.send(turn)
  return answer
}

/** The next message of its process. */
const heard = <A>({ process }: Contestant): Promise<A> =>
  new Promise((resolve, reject) => {
    const forget = () => {
      clearTimeout(timer)
      process.off("message", onMessage)
      process.off("exit", onExit)
    }
    const onMessage = (message: unknown) => {
      forget()
      // What `turn.ts` sends.
      resolve(message as A)
    }
    const onExit = (code: number | null) => {
      forget()
      reject(new Error(`ended with ${code}`))
    }
    const timer = setTimeout(() => {
      forget()
      reject(new Error("no word for half a minute"))
    }, 30_000)
    process.on("message", onMessage)
    process.on("exit", onExit)
  })

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

/** The median of what each round says. */
export const compare = (
  own: ReadonlyArray<Outcome> | undefined,
  other: ReadonlyArray<Outcome> | undefined,
  by: (own: Outcome, other: Outcome) => number
): number =>
  own === undefined || other === undefined || own.length === 0 || other.length === 0
    ? NaN
    // Both have a turn in each round.
    : median(own.slice(0, other.length).map((outcome, round) => by(outcome, other[round]!)))

export const rateOver = (own: Outcome, other: Outcome): number => own.rate / other.rate
