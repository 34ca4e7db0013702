/**
 * What a peer answers to the calls that it cannot end any more, because it shuts down.
 */
import * as ErrorObject from "@parley/protocol/ErrorObject"
import { RemoteError } from "../CallerError.ts"

/** @internal */
export const shutDownError = ErrorObject.make(-32000, "Shutting down")

/**
 * Whether a call has ended because the other side shuts down. The code alone has other meanings, too.
 *
 * @internal
 */
export const isShutDown = (error: unknown): boolean =>
  error instanceof RemoteError && error.code === shutDownError.code && error.message === shutDownError.message
