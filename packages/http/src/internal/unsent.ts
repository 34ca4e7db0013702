/**
 * Which failures of a client of HTTP mean that the server has not got the request.
 */
import type { HttpClientError } from "effect/http/HttpClientError"

/** Whether a request cannot have reached the server: clients tell that by the codes of their causes. */
export const isUnsent = ({ reason }: HttpClientError): boolean =>
  reason._tag === "InvalidUrlError" || reason._tag === "EncodeError" ||
  (reason._tag === "TransportError" && isUnconnected(reason.cause, 4))

const isUnconnected = (cause: unknown, depth: number): boolean => {
  if (typeof cause !== "object" || cause === null || depth === 0) return false
  if ("code" in cause && typeof cause.code === "string" && unconnected.test(cause.code)) return true
  if ("errors" in cause && Array.isArray(cause.errors) && cause.errors.length > 0) {
    return cause.errors.every((error) => isUnconnected(error, depth - 1))
  }
  return "cause" in cause && isUnconnected(cause.cause, depth - 1)
}

/** No name, no way, nobody there, or a certificate that was not accepted. */
const unconnected =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOENT|EACCES|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/
