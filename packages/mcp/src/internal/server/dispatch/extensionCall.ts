/**
 * Calls of methods that extensions have: for clients that have declared what they must, as an extension may see them.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import { dropped } from "../../extension/Declared.ts"
import { own } from "../../Json.ts"
import { isSuccess } from "../definition/handler.ts"
import type { Bound, ExtensionMethod, ExtensionNotice } from "../extensions/Extensions.ts"
import { whereVisible } from "../lists/visibility.ts"
import { sealed, whole } from "./invocation.ts"
import type { Answer, LiveCall } from "./LiveCall.ts"

/** @internal */
export const callExtension = (call: LiveCall, method: ExtensionMethod): Answer =>
  whereVisible(
    call,
    method,
    ({ feature, rules, serve }) => {
      const refusal = refusalOf(call, feature)
      if (refusal !== undefined) return Exit.fail(refusal)
      const result = serve(call.params, call)
      return isSuccess(result)
        ? Exit.succeed(sealed(call, call.codec.encode.extensionResult(result.value, rules.cache)))
        : whole(call, Effect.map(result, (json) => call.codec.encode.extensionResult(json, rules.cache)))
    },
    () => unknown(call)
  )

/** Hears a notification. Nobody can be told that it is refused. @internal */
export const hearExtension = (call: LiveCall, notice: ExtensionNotice): Effect.Effect<void> =>
  Effect.catch(
    whereVisible(
      call,
      notice,
      ({ feature, hear }): Effect.Effect<void, ErrorResponse.ErrorResponse> => {
        const refusal = refusalOf(call, feature)
        return refusal === undefined ? hear(call.params, call) : Exit.fail(refusal)
      },
      () => unknown(call)
    ),
    ({ message }) => dropped(call.method, message)
  )

const unknown = ({ method }: LiveCall) => Exit.fail(ErrorResponse.methodNotFound(method))

/** The reason why a client may not call the methods of an extension, if there is one. */
const refusalOf = (
  { client, codec, method }: LiveCall,
  { info: { name }, readClient }: Bound["feature"]
): ErrorResponse.ErrorResponse | undefined => {
  if (readClient === undefined) return undefined
  const declared = own(client.capabilities.extensions ?? {}, name)
  if (declared === undefined) {
    return codec.features.metaEnvelope
      ? McpError.missingClientCapability({ extensions: { [name]: {} } })
      : ErrorResponse.methodNotFound(method)
  }
  // Capabilities are objects by identifier.
  const issue = readClient(declared as {})
  return issue && McpError.invalidParams({
    issues: issue.issues.map(({ message, path }) => ({
      path: ["_meta", Envelope.clientCapabilities, "extensions", name, ...path],
      message
    }))
  })
}
