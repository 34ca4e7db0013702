/** URLs from which nobody on the way can change what comes. */

/** Throws for a URL that leads over an open network. @internal */
import { Address } from "@parley/http/shared"
export const secureUrl = (what: string, given: string | URL): URL => {
  const url = URL.parse(String(given))
  if (url !== null && isSecure(url)) return url
  throw new TypeError(`${what} must be an https URL, or one of this machine: it is ${given}`)
}

/** @internal */
export const isSecure = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && Address.isLoopback(hostname))
