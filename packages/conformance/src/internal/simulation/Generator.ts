/**
 * Scenarios by a seed. Bounds, links and loads are drawn near each other, so that most bounds are met.
 */
import type { Params } from "@parley/protocol/Message"
import {
  type Action,
  type Bounds,
  type Call,
  type Kind,
  type Links,
  type Notify,
  replySize,
  type Scenario,
  type Side,
  type Watch,
  type Work
} from "./Scenario.ts"
import { random } from "./World.ts"

/**
 * Draws values by a seed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Draw {
  /** An integer from `low` to `high`, both included. */
  readonly int: (low: number, high: number) => number
  /** Whether something of this likelihood happens: 0 never, 1 always. */
  readonly chance: (likelihood: number) => boolean
  /** One of these. */
  readonly pick: <A>(first: A, ...rest: ReadonlyArray<A>) => A
}

/**
 * A call of a service of one's own.
 *
 * @category models
 * @since 0.1.0
 */
export interface OwnCall {
  readonly method: string
  readonly params?: Params
}

const drawOf = (seed: number): Draw => {
  const next = random(Math.imul(seed + 1, 0x9e3779b1))
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    int,
    chance: (likelihood) => next() < likelihood,
    pick: (first, ...rest) => [first, ...rest][int(0, rest.length)] ?? first
  }
}

/** All actions of a scenario share these. */
interface Climate {
  readonly kind: Kind
  readonly bounds: Bounds
  readonly links: Links
  /** A moment at which many handlers end. */
  readonly moment: number
  /** How likely an answer comes by a stream that belongs to no call. */
  readonly aside: number
}

/** Text that one action may cause, so that a run stays short. */
const most = 24_000

/** The scenario of a seed. With `own`, the calls are those of a service. @internal */
export const scenarioOf = (seed: number, kind: Kind, own?: (draw: Draw) => OwnCall): Scenario => {
  const draw = drawOf(seed)
  const bounds = boundsOf(draw, own !== undefined)
  const climate: Climate = {
    kind,
    bounds,
    links: linksOf(draw, bounds),
    moment: draw.int(5, 60),
    aside: kind === "session" ? draw.pick(0, 0.3, 1, 1) : 0
  }
  const faulty = draw.chance(kind === "reconnecting" ? 0.5 : 0.15)
  const actions = Array.from({ length: draw.int(1, kind === "session" ? 5 : 4) }, () => actionOf(draw, climate, own))
  // The other side often does the same as the first, so that the two meet.
  const both = kind !== "post" && own === undefined && draw.chance(0.6)
  const mirrored = both ? actions.map((action) => mirror(action)) : []
  const faults = faulty ? Array.from({ length: draw.int(1, 2) }, () => faultOf(draw, kind)) : []
  const all = [...actions, ...mirrored, ...faults]
  return {
    kind,
    bounds: { ...bounds, bytes: Math.max(bounds.bytes, ...all.map((action) => longestOf(action, bounds))) },
    links: climate.links,
    actions: all
  }
}

const mirror = (action: Action): Action =>
  action._tag === "Lose" ? action : { ...action, side: action.side === 0 ? 1 : 0 }

const boundsOf = (draw: Draw, isOwn: boolean): Bounds => {
  const inFlight = draw.pick(1, 2, 4, 8, 8, 8)
  return {
    inFlight,
    bytes: draw.pick(400, 800, 1_600) * (isOwn ? 16 : 1),
    waiting: inFlight * draw.pick(4, 64, 64, 64),
    ...(!isOwn && draw.chance(0.25) ? { budget: inFlight * draw.pick(500, 500, 4_000, 16_000) } : {})
  }
}

/** A link in memory, where a text arrives before `send` returns, or one that is narrow and slow. */
const linksOf = (draw: Draw, { bytes }: Bounds): Links =>
  draw.chance(0.25)
    ? { bytes: 1_000_000, texts: 1_000, delay: 0, chunk: 65_536, direct: draw.chance(0.8) }
    : {
      bytes: draw.pick(bytes / 4, bytes / 2, bytes, 1_000_000),
      texts: draw.pick(1, 4, 1_000, 1_000),
      delay: draw.pick(0, 1, 10),
      chunk: draw.pick(bytes / 4, bytes, 65_536),
      direct: draw.chance(0.5)
    }

const sideOf = (draw: Draw, kind: Kind, isOwn: boolean): Side => kind === "post" || isOwn || draw.chance(0.6) ? 0 : 1

const actionOf = (draw: Draw, climate: Climate, own?: (draw: Draw) => OwnCall): Action => {
  const side = sideOf(draw, climate.kind, own !== undefined)
  const at = draw.chance(0.4) ? 0 : draw.int(0, 60)
  switch (
    draw.pick("call", "call", "call", "call", "call", "notify", "notify", "pause", "pause", "stall", "watch", "watch")
  ) {
    case "watch":
      return own === undefined ? watchOf(draw, climate, at, side) : callOf(draw, climate, at, side, own)
    case "call":
      return callOf(draw, climate, at, side, own)
    case "notify":
      return own === undefined ? notifyOf(draw, climate, at, side) : callOf(draw, climate, at, side, own)
    case "pause":
      return { _tag: "Pause", at: at >> 1, side, ...(draw.chance(0.3) ? { for: draw.int(1, 100) } : {}) }
    case "stall":
      return { _tag: "Stall", at, side, for: draw.int(1, 100) }
  }
}

const timesOf = (draw: Draw, { bounds: { inFlight } }: Climate) =>
  draw.pick(1, 2, inFlight, inFlight, inFlight, 2 * inFlight, 4 * inFlight)

const sizeOf = (draw: Draw, { bounds: { bytes } }: Climate) => draw.pick(0, 10, bytes >> 3, bytes >> 1, bytes, bytes)

const callOf = (
  draw: Draw,
  climate: Climate,
  at: number,
  side: Side,
  own: ((draw: Draw) => OwnCall) | undefined
): Call => {
  const partial = draw.chance(0.15)
  const drawn = workOf(draw, climate, 2)
  const work = { ...drawn, ...(partial ? { partial: draw.int(1, 6) } : {}) }
  const size = draw.chance(0.3) ? sizeOf(draw, climate) : 0
  const times = Math.max(1, Math.min(timesOf(draw, climate), Math.floor(most / (64 + size + weightOf(work)))))
  return {
    _tag: "Call",
    at,
    side,
    times: hangs(work) ? Math.max(1, Math.min(times, climate.bounds.inFlight - 1)) : times,
    work: own === undefined ? work : {},
    ...(size > 0 ? { size } : {}),
    ...(own === undefined && draw.chance(0.1) ? { batch: true } : {}),
    ...(draw.chance(0.1) ? { timeout: draw.int(0, 80) } : {}),
    ...(draw.chance(0.15) ? { giveUp: draw.int(0, 80) } : {}),
    ...(climate.kind === "reconnecting" && draw.chance(0.5) ? { idempotent: true } : {}),
    ...(draw.chance(0.3) ? { progress: true } : {}),
    ...(partial ? { partial: true } : {}),
    ...(partial && draw.chance(0.5) ? { hold: draw.int(0, 30) } : {}),
    ...(draw.chance(climate.aside) ? { aside: true } : {}),
    ...(own === undefined ? {} : { own: own(draw) })
  }
}

/** Over posts, notifications come only as long as an answer is under way. */
const watchOf = (draw: Draw, climate: Climate, at: number, side: Side): Watch => {
  const { bounds: { inFlight }, kind } = climate
  const size = draw.chance(0.5) ? sizeOf(draw, climate) : 0
  const isPosting = kind === "post" || kind === "session"
  return {
    _tag: "Watch",
    at: at >> 1,
    side: isPosting ? 0 : side,
    times: Math.max(1, Math.min(draw.pick(1, 2, 4), inFlight - 1)),
    carrier: isPosting ? "partial" : draw.pick("partial", "notifications"),
    items: draw.int(0, 6),
    every: draw.pick(0, 1, 10, 30),
    ...(size > 0 ? { size } : {}),
    ...(draw.chance(0.2) ? { giveUp: draw.int(0, 80) } : {})
  }
}

const notifyOf = (draw: Draw, climate: Climate, at: number, side: Side): Notify => {
  const work = { ...workOf(draw, climate, 1), hang: false, fail: undefined }
  const size = sizeOf(draw, climate)
  const times = draw.pick(1, 3, climate.bounds.inFlight, 4 * climate.bounds.inFlight, 8 * climate.bounds.inFlight)
  return {
    _tag: "Notify",
    at,
    side,
    times: Math.max(1, Math.min(times, Math.floor(most / (64 + size + weightOf(work))))),
    work,
    ...(size > 0 ? { size } : {}),
    ...(draw.chance(0.3) ? { ask: workOf(draw, climate, 0) } : {})
  }
}

const workOf = (draw: Draw, climate: Climate, depth: number): Work => {
  const base: Work = {
    ...(draw.chance(0.15) ? { progress: draw.int(1, 3) } : {}),
    ...(draw.chance(0.2) ? { notify: draw.int(1, 3) } : {}),
    ...(draw.chance(0.1) ? { after: draw.int(1, 3) } : {}),
    ...(depth > 0 && draw.chance(0.25) ? { back: workOf(draw, climate, depth - 1) } : {})
  }
  const size = sizeOf(draw, climate)
  const sized: Work = size > 0 ? { ...base, size } : base
  switch (draw.pick("now", "wait", "until", "until", "until", "end")) {
    case "now":
      return sized
    case "wait":
      return { ...sized, wait: draw.pick(0, 1, draw.int(0, 50)) }
    case "until":
      return { ...sized, until: climate.moment }
    case "end":
      return draw.chance(0.5)
        ? { ...sized, fail: 100 }
        : depth === 2 && draw.chance(0.5)
        ? { ...sized, hang: true }
        : { ...sized, wait: 0 }
  }
}

const hangs = ({ back, hang }: Work): boolean => hang === true || (back !== undefined && hangs(back))

/** Characters that a work causes. */
const weightOf = ({ after = 0, back, notify = 0, partial = 0, size = 0 }: Work): number =>
  (size + 64) * (1 + after + notify + partial) + (back === undefined ? 0 : weightOf(back))

/** Characters of the longest text that an action causes, with some to spare. */
const longestOf = (action: Action, { inFlight }: Bounds): number => {
  if (action._tag === "Watch") return 80 + replySize + (action.size ?? 0)
  if (action._tag !== "Call" && action._tag !== "Notify") return 0
  const asked = 80 + (action.size ?? 0) + JSON.stringify(action.work).length
  const members = action._tag === "Call" && action.batch === true ? Math.min(action.times, inFlight) : 1
  return Math.max(asked * members, sizeIn(action.work) + replySize)
}

/** Characters of the longest reply of a work, or of what it asks. */
const sizeIn = ({ back, size = 0 }: Work): number => Math.max(size, back === undefined ? 0 : sizeIn(back))

const faultOf = (draw: Draw, kind: Kind): Action => {
  const at = draw.int(0, 80)
  // A session has no end in order, and two peers have one each.
  const faults = { peer: ["end"], reconnecting: ["end", "end", "end"], post: ["end", "end"], session: [] } as const
  switch (draw.pick<"lose" | "die" | "end">("lose", "lose", "lose", "die", ...faults[kind])) {
    case "die":
      return { _tag: "Die", at, side: draw.pick<Side>(0, 1) }
    case "end":
      return kind === "peer"
        ? { _tag: "End", at, side: draw.pick<Side>(0, 1) }
        : { _tag: "End", at, side: 1, for: draw.int(0, 60) }
    case "lose":
      return { _tag: "Lose", at, for: draw.int(0, 60) }
  }
}
