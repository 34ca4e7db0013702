/**
 * Failures of the transport as failures of a client.
 */
import type { AuthorizationError } from "@parley/oauth/AuthorizationError"
import type { CallError, RemoteError } from "@parley/peer/Caller"
import { Backoff } from "@parley/transport/shared"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidResult, type McpCallError, ProtocolError, type SessionExpired } from "../../../client/McpClientError.ts"
import * as Revision from "../../../wire/Revision.ts"
import type { WireIssue } from "../../../wire/WireIssue.ts"

/** @internal */
export const fromLine = (method: string, error: AuthorizationError | CallError | SessionExpired): McpCallError =>
  error._tag === "RemoteError" ? fromRemote(method, error) : error

const fromRemote = (method: string, { code, data, id, text }: RemoteError): ProtocolError =>
  new ProtocolError({ method, ...(id !== undefined && { id }), code, text, ...(data !== undefined && { data }) })

/** @internal */
export const fromIssue = (method: string, { issues, message }: WireIssue): InvalidResult => {
  const [first] = issues
  return first === undefined
    ? new InvalidResult({ method, path: [], rule: message })
    : new InvalidResult({ method, path: first.path, rule: first.message })
}

const WithSupported = Schema.Struct({ supported: Schema.Array(Schema.String) })

const isWithSupported = Schema.is(WithSupported)

/** The revisions that an error of a handshake names, or `undefined`. @internal */
export const supportedIn = ({ data }: { readonly data?: Schema.Json }): ReadonlyArray<string> | undefined =>
  isWithSupported(data) ? data.supported : undefined

/** The newest of the revisions offered that is one of ours, of an era. @internal */
export const newest = (
  offered: ReadonlyArray<string>,
  era: Revision.Era,
  ours: ReadonlyArray<Revision.Revision> = Revision.all
): Revision.Revision | undefined => Revision.ofEra(era, ours).find((revision) => offered.includes(revision))

/** Whether asking again may help, where a request may succeed after another one has lost its connection. @internal */
export const isPassing = (error: McpCallError, isLasting: boolean): boolean =>
  isLasting &&
  ((error._tag === "Disconnected" && error.reason._tag !== "Closed") || error._tag === "InvalidResponse" ||
    (error._tag === "HttpStatusError" && (error.status >= 500 || error.status === 429)))

/** How often asking again may fail in a row. @internal */
export const mostInRow = 10

/** Waits before the next attempt after so many failures. @internal */
export const pauseAfter = (failures: number): Effect.Effect<void> =>
  Backoff.sleep(Math.min(100 * 2 ** (failures - 1), 10_000))
