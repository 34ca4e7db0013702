/**
 * Every bound of Parley by name, with its default and its reason. None is infinite.
 *
 * A module that keeps a bound takes the part that it needs. The documentation of a limit says what it counts: bytes,
 * members or milliseconds. Each is a whole number of at least 1; `notification` and `drain` may be 0.
 *
 * ```ts run
 * import { Limits } from "@parley/protocol"
 *
 * const limits = Limits.make({ frame: 64 * 1024, drain: 0 })
 *
 * console.log(limits.frame, limits.drain, limits.batch) // => 65536 0 1000
 * ```
 *
 * @since 0.1.0
 */

/**
 * The bounds of one connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits {
  /** Bytes of one frame. Larger ones are skipped and answered, never buffered. */
  readonly frame: number
  /** Bytes of one header block: room for a dozen headers, not for an attack. */
  readonly header: number
  /** Levels of arrays and objects in one text. `JSON.stringify` overflows at some thousands. */
  readonly depth: number
  /** Members of one batch, in and out. */
  readonly batch: number
  /** Bytes of one batch's reply: a small batch must not ask for an unbounded answer. */
  readonly batchReply: number
  /** Requests that run at once. Members of a batch count one each. */
  readonly inFlight: number
  /**
   * Requests whose handlers run and have given their place back, because they waited for the other side or for too long.
   * Beyond, requests are refused instead of started. The default is eight times `window`, so that all calls of the other
   * side may call back and forth several times, one within the other.
   */
  readonly parked: number
  /** Calls that wait for their turn, never fewer than `batch`, so that a legal batch fits. */
  readonly inbox: number
  /** Bytes of the calls that wait for their turn. */
  readonly inboxBytes: number
  /** Bytes that wait to be written. Callers suspend beyond; replies have the same again for themselves. */
  readonly outbox: number
  /** Calls of ours that wait for their response: ids, callbacks and deadlines, about 1.4 KB each. */
  readonly waiting: number
  /**
   * Requests of ours that are written and not answered. The others wait on our side, in order. The default is what the
   * other side takes by its defaults: `inFlight` and `inbox`.
   */
  readonly window: number
  /** Bytes of the texts of these requests. One request is written even if it is larger. */
  readonly windowBytes: number
  /** Milliseconds that an unfinished frame may stay unfinished. */
  readonly partialFrame: number
  /** Milliseconds that opening a connection may take. */
  readonly handshake: number
  /** Milliseconds that the handler of a notification may hold back what comes after it. With 0 it holds back nothing. */
  readonly notification: number
  /** Milliseconds that a write may make no progress before the connection is given up. */
  readonly writeStall: number
  /** Milliseconds that running calls get when the input or the connection is asked to end. With 0 they get none. */
  readonly drain: number
  /** Bad frames in a row: with so many, the other side does not speak the protocol. */
  readonly badFrames: number
  /** Connections of one listener. */
  readonly connections: number
  /** Bytes that all connections of one listener may hold together. */
  readonly budget: number
}

/** Bytes of 1 MiB. */
const MiB = 1024 * 1024

/**
 * The default of every bound.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults: Limits = {
  frame: 16 * MiB,
  header: 8 * 1024,
  depth: 512,
  batch: 1_000,
  batchReply: 16 * MiB,
  inFlight: 1_024,
  parked: 16_384,
  inbox: 1_024,
  inboxBytes: 16 * MiB,
  outbox: 16 * MiB,
  waiting: 65_536,
  window: 2_048,
  windowBytes: 16 * MiB,
  partialFrame: 30_000,
  handshake: 10_000,
  notification: 30_000,
  writeStall: 30_000,
  drain: 10_000,
  badFrames: 100,
  connections: 1_024,
  budget: 256 * MiB
}

/** Limits of which 0 is a meaningful value. */
const mayBeZero: ReadonlySet<string> = new Set<keyof Limits>(["notification", "drain"])

/**
 * The defaults with some bounds replaced. The same object of bounds gives the same limits, so that all connections
 * of a server share them.
 *
 * The inbox is raised to the size of a batch. Partial: throws a `RangeError` that names the limit where
 * one is not a whole number of at least 1 (at least 0 for `notification` and `drain`).
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limits: Partial<Limits> = none): Limits => {
  const known = made.get(limits)
  if (known !== undefined) return known
  const all = checked({ ...defaults, ...limits }, mayBeZero)
  const whole = Object.freeze({ ...all, inbox: Math.max(all.inbox, all.batch) })
  made.set(limits, whole).set(whole, whole)
  return whole
}

const none: Partial<Limits> = {}

const made = new WeakMap<Partial<Limits>, Limits>()

/**
 * Limits of any kind, each of which is a whole number of at least 1, or of 0 where that has a meaning. Partial: throws a
 * `RangeError` that names the limit otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const checked = <A extends object>(limits: A, mayBeZero: ReadonlySet<string> = new Set()): A => {
  for (const [name, value] of Object.entries(limits)) {
    const least = mayBeZero.has(name) ? 0 : 1
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`the limit \`${name}\` is ${String(value)}, but must be a whole number of at least ${least}`)
    }
  }
  return limits
}
