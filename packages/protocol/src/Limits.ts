/**
 * Every bound of Parley by name, with its default and its reason. None is infinite.
 *
 * A module that keeps a bound takes the part it needs; what a limit counts
 * (bytes, members, milliseconds) stands in its documentation.
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
  /** Calls that wait for their turn, never fewer than `batch`, so that a legal batch fits. */
  readonly inbox: number
  /** Bytes of the calls that wait for their turn. */
  readonly inboxBytes: number
  /** Notifications beyond a full inbox while a call of ours waits, so that its response is read; as many as `batch`. */
  readonly reserve: number
  /** Bytes that wait to be written. Callers suspend beyond; replies have the same again for themselves. */
  readonly outbox: number
  /** Calls of ours that wait for their response: ids, callbacks and deadlines, about 1.4 KB each. */
  readonly waiting: number
  /** Milliseconds that an unfinished frame may stay unfinished. */
  readonly partialFrame: number
  /** Milliseconds that opening a connection may take. */
  readonly handshake: number
  /** Milliseconds that the handler of a notification may hold back what comes after it. */
  readonly notification: number
  /** Milliseconds that a write may make no progress before the connection is given up. */
  readonly writeStall: number
  /** Milliseconds that running calls get when the input or the connection is asked to end. */
  readonly drain: number
  /** Bad frames in a row: beyond, the other side does not speak the protocol. */
  readonly badFrames: number
  /** Connections of one listener. */
  readonly connections: number
  /** Bytes that all connections of one listener may hold together. */
  readonly budget: number
}

/** Bytes of 1 MiB. */
const MiB = 1024 * 1024

/**
 * The bounds that hold where nothing else is said.
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
  inbox: 1_024,
  inboxBytes: 16 * MiB,
  reserve: 1_024,
  outbox: 16 * MiB,
  waiting: 65_536,
  partialFrame: 30_000,
  handshake: 10_000,
  notification: 30_000,
  writeStall: 30_000,
  drain: 10_000,
  badFrames: 100,
  connections: 1_024,
  budget: 256 * MiB
}

/**
 * The defaults with some bounds replaced.
 *
 * The inbox and the reserve are kept at least as large as a batch.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limits: Partial<Limits> = {}): Limits => {
  const all = { ...defaults, ...limits }
  return { ...all, inbox: Math.max(all.inbox, all.batch), reserve: Math.max(all.reserve, all.batch) }
}
