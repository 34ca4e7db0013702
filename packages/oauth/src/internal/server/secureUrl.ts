/** The URLs of a resource and of its authorization servers. Nobody on the way may change what comes from there. */
import { Address } from "@parley/http/shared"

/** Reads a URL. Throws where it leads over an open network. @internal */
export const secureUrl = (what: string, given: string | URL): URL => {
  const url = URL.parse(String(given))
  if (url !== null && Address.isSecure(url)) return url
  throw new TypeError(`${what} must be an https URL, or one of this machine: it is ${given}`)
}
