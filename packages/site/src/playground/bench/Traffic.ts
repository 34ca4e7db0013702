/** The messages that have passed, as the taps of both sides saw them. */
import * as Batch from "@parley/protocol/Batch"
import type * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Frame } from "@parley/traffic/Tap"
import * as Transport from "@parley/transport/Transport"
import * as Result from "effect/Result"

/** The side of a tap. A foreign peer writes its texts by hand. */
export type Side = "client" | "server" | "foreign"

/** A frame that a side saw on one of the connections. */
export interface Seen {
  readonly connection: number
  readonly side: Side
  /** The side at the other end. */
  readonly other: Side
  readonly frame: Frame
}

export type Kind = "request" | "notification" | "result" | "error" | "batch" | "invalid" | "end"

/** A text on its way, or the end of a connection. */
export interface Row {
  readonly key: number
  readonly connection: number
  readonly from: Side
  readonly to: Side
  /** Milliseconds since 1970. Absent where no side has sent it: the line has made it up. */
  readonly sent: number | undefined
  /** Absent where it has not arrived. */
  readonly arrived: number | undefined
  readonly kind: Kind
  readonly id: string | undefined
  /** The method of a call, and of the call that is answered. */
  readonly method: string | undefined
  readonly text: string
}

/** So many rows are kept. */
export const most = 300

/** The rows with what was seen, the oldest first. */
export const add = (rows: ReadonlyArray<Row>, seen: Seen): ReadonlyArray<Row> => {
  const { frame } = seen
  switch (frame._tag) {
    case "Sent":
      return appended(rows, rowOf(rows, seen, frame.text, seen.side, { sent: frame.time }))
    case "Received": {
      const at = rows.findIndex((row) =>
        row.connection === seen.connection && row.to === seen.side && row.arrived === undefined &&
        row.text === frame.text
      )
      const row = rows[at]
      return row === undefined
        ? appended(rows, rowOf(rows, seen, frame.text, seen.other, { arrived: frame.time }))
        : rows.with(at, { ...row, arrived: frame.time })
    }
    case "Ended":
      return appended(rows, {
        ...rowOf(rows, seen, Transport.describeReason(frame.error.reason), seen.other, { arrived: frame.time }),
        kind: "end"
      })
    // A text that was not sent does not arrive; and memory has no bytes that could be bad.
    case "Unsent":
    case "Bad":
      return rows
  }
}

const appended = (rows: ReadonlyArray<Row>, row: Row) => [...rows.slice(1 - most), row]

const rowOf = (
  rows: ReadonlyArray<Row>,
  { connection, other, side }: Seen,
  text: string,
  from: Side,
  times: { readonly sent?: number; readonly arrived?: number }
): Row => ({
  key: (rows.at(-1)?.key ?? 0) + 1,
  connection,
  from,
  to: from === side ? other : side,
  sent: times.sent,
  arrived: times.arrived,
  text,
  ...summaryOf(
    text,
    (id) =>
      rows.findLast((row) =>
        row.connection === connection && row.from !== from && row.kind === "request" && row.id === id
      )?.method
  )
})

const summaryOf = (text: string, methodOf: (id: string) => string | undefined): Pick<Row, "kind" | "id" | "method"> => {
  const batch = Batch.decode(text)
  if (Batch.isMembers(batch)) return { kind: "batch", id: undefined, method: `of ${batch.length}` }
  return Result.match(batch, {
    onFailure: () => ({ kind: "invalid", id: undefined, method: undefined }),
    onSuccess: (message) => messageOf(message, methodOf)
  })
}

const messageOf = (message: Message.Message, methodOf: (id: string) => string | undefined) => {
  if (message._tag === "Notification") return { kind: "notification", id: undefined, method: message.method } as const
  const id = message.id === null ? undefined : RequestId.toText(message.id)
  if (message._tag === "Request") return { kind: "request", id, method: message.method } as const
  const method = id === undefined ? undefined : methodOf(id)
  return { kind: message._tag === "Success" ? "result" : "error", id, method } as const
}
