/**
 * Failures of the transport as failures of a client.
 */
import type { CallError, RemoteError } from "@parley/peer/CallerError"
import * as Schema from "effect/Schema"
import type { AuthorizationError } from "../../../auth/client/AuthorizationError.ts"
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
